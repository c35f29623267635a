-- Acquires the lock on one of several masters, if it is free there.
-- KEYS[3] the state of the last acquisition here, a string that expires:
--   'taken number owner' after an acquisition here; 'settled number owner' after a grant by a majority of the masters
--   'released call owner' for a moment after the release; call is 0 if the lock was not here, or of a failed request
--   'missing number owner' after an extension by an owner whose lock is not here, until that lease would end
-- ARGV[1] owner token, ARGV[2] lease in milliseconds, ARGV[3] the number of the request, greater than those of earlier ones
-- result {1, last reserved token} or {0, remaining milliseconds, 1 if the holder is known to have a majority, otherwise 0}
-- invariant: the value and its expiry are set in one step; a holder's value never changes.

-- include tokens
local function note(state, number)
  redis.call('SET', KEYS[3], state .. ' ' .. number .. ' ' .. ARGV[1], 'PX', ARGV[2] + COMPANION_TTL)
end
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  note('taken', ARGV[3])
  return {1, (reserve(clock()))}
end
local holder = redis.call('GET', KEYS[1])
local state, number, owner = string.match(redis.call('GET', KEYS[3]) or '', '^(%a+) (%d+) (.*)$')
if holder ~= ARGV[1] then
  return {0, redis.call('PTTL', KEYS[1]), state == 'settled' and owner == holder and 1 or 0}
end
if owner ~= ARGV[1] then
  note('taken', ARGV[3])
elseif tonumber(number) < tonumber(ARGV[3]) then
  note(state, ARGV[3])
end
-- include answers
return {1, held(ARGV[2], clock())}
