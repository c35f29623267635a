-- Frees the lock on one master of several, if the owner holds it there.
-- KEYS[3] what became of the last acquisition here: 'settled owner' or 'released owner'
-- ARGV[1] owner token
-- result 1; or 2 if the same owner has freed it a moment ago, in another call; or 0 if the owner does not hold the lock here
-- invariant: what another owner holds is never touched.

local released = 'released ' .. ARGV[1]
if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('SET', KEYS[3], released, 'PX', 5000)
  return redis.call('DEL', KEYS[1])
end
return redis.call('GET', KEYS[3]) == released and 2 or 0
