-- Lets a lock live at most a lease from now on, if its owner holds all of it.
-- KEYS[1] the lock; ARGV[1] owner token, ARGV[2] lease in milliseconds
-- result 1, or 0 if the owner does not hold the lock
-- invariant: a lease is never extended; what another owner holds is never touched.

if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
if redis.call('PTTL', KEYS[1]) > tonumber(ARGV[2]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 1
