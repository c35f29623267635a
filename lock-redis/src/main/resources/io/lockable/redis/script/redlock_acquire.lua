-- Takes the lock on one master of several, if nobody holds it there.
-- KEYS[3] what became of the last acquisition here: 'taken number owner', 'settled number owner' once a majority of the masters had it,
-- 'released call owner' later
-- ARGV[1] owner token, ARGV[2] lease in milliseconds, ARGV[3] the number of the question, greater than those of earlier ones
-- result {1, last reserved token} or {0, remaining milliseconds, 1 if the holder has a majority for all that is known, else 0}
-- invariant: the value and its expiry are set in one step; a holder's value is never touched.

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
