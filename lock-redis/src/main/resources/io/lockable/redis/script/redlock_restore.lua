-- Sets a lock again on one of several masters that has lost it, for an owner that has just extended it on a majority of the masters.
-- KEYS[3] the state of the last acquisition here: 'missing number owner' since that extension
-- ARGV[1] owner token, ARGV[2] a token not less than the owner's, ARGV[3] the number of the extension
-- result 1, or 0 if the state has changed or expired
-- invariants: the lease ends when the extension would have ended it here, however late this command is; after a release, an acquisition
-- or a copy of this command, it changes nothing; each acquisition here after an answer of 1 reserves a greater token than the owner's.

-- include tokens
-- include redlock_token
local state = ' ' .. ARGV[3] .. ' ' .. ARGV[1]
local rest = redis.call('PTTL', KEYS[3])
if redis.call('GET', KEYS[3]) ~= 'missing' .. state or rest <= 0 or not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', rest) then
  return 0
end
store_token(tonumber(ARGV[2]), clock())
redis.call('SET', KEYS[3], 'settled' .. state, 'PX', rest + COMPANION_TTL)
return 1
