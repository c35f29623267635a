-- Gives the lock to the next waiter, or frees it, if the owner holds it.
-- uses tokens, grant
-- ARGV[1] owner token
-- result {1}, or {0} if the owner does not hold the lock
-- invariant: what another owner holds is never touched.

if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return {0}
end
if redis.call('EXISTS', KEYS[3]) == 0 or not grant_next(clock()) then
  redis.call('DEL', KEYS[1])
end
return {1}
