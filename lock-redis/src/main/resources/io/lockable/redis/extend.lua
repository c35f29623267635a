-- Lets locks live at least a lease from now on, each if its owner holds it.
-- KEYS the locks; ARGV for each its owner token and its lease in milliseconds
-- result for each 1, or 0 if the owner does not hold the lock
-- invariant: a lease is never shortened; what another owner holds is never touched.

local results = {}
for i, lock in ipairs(KEYS) do
  local owner, lease = ARGV[2 * i - 1], ARGV[2 * i]
  if redis.call('GET', lock) == owner then
    if redis.call('PTTL', lock) < tonumber(lease) then
      redis.call('PEXPIRE', lock, lease)
    end
    results[i] = 1
  else
    results[i] = 0
  end
end
return results
