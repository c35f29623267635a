-- Takes the lock on one master of several, if nobody holds it there.
-- KEYS[3] what became of the last acquisition here: 'settled owner' once a majority of the masters had it, 'released call owner' later
-- ARGV[1] owner token, ARGV[2] lease in milliseconds
-- result {1, last reserved token} or {0, remaining milliseconds, 1 if the holder has a majority for all that is known, else 0}
-- invariant: the value and its expiry are set in one step; a holder's value is never touched.

-- include tokens
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  redis.call('DEL', KEYS[3])
  return {1, reserve(clock())}
end
local holder = redis.call('GET', KEYS[1])
if holder ~= ARGV[1] then
  return {0, redis.call('PTTL', KEYS[1]), redis.call('GET', KEYS[3]) == 'settled ' .. holder and 1 or 0}
end
-- include answers
return {1, held(ARGV[2], clock())}
