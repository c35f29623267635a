-- Writes back the fencing token of an acquisition that a majority of the masters has granted.
-- KEYS[3] the state of the last acquisition here, as in 'redlock_acquire'
-- ARGV[1] owner token, ARGV[2] token, ARGV[3] lease in milliseconds
-- result 1, or 0 if the owner does not hold the lock here
-- invariant: each acquisition here after an answer of 1 reserves a greater token.

-- include tokens
-- include redlock_token
store_token(tonumber(ARGV[2]), clock())
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
local number, owner = string.match(redis.call('GET', KEYS[3]) or '', '^%a+ (%d+) (.*)$')
redis.call('SET', KEYS[3], 'settled ' .. (owner == ARGV[1] and number or 0) .. ' ' .. ARGV[1], 'PX', ARGV[3] + COMPANION_TTL)
return 1
