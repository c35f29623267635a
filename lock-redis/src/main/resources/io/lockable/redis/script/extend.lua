-- Extends locks: each lease lasts at least the given time from now, if its owner holds the lock or a share of it.
-- KEYS for each the lock and its holders; ARGV for each its owner token and its lease in milliseconds
-- result for each 1, or 0 if the owner does not hold the lock, or FAILED if the script with that lock alone reports the error
-- invariant: a lease is never shortened; a lock of another owner never changes; an error of one lock affects no other; each answer of 1
-- includes a write, so that replicas which acknowledge it have all earlier writes.

local FAILED = -9007199254740992

-- Sets the expiry first: a full server refuses ZADD as the first write of a script, but not as a later one.
local function extend_share(lock, holders, owner, lease)
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local ends = redis.call('ZSCORE', holders, owner)
  if not ends or tonumber(ends) <= now then
    return 0
  end
  local last = now + math.max(redis.call('PTTL', lock), tonumber(lease))
  redis.call('PEXPIREAT', lock, last)
  redis.call('PEXPIREAT', holders, last)
  redis.call('ZADD', holders, 'GT', now + lease, owner)
  return 1
end

local function extend(i)
  local lock, owner, lease = KEYS[i], ARGV[i], ARGV[i + 1]
  local holder = redis.call('GET', lock)
  if holder == owner then
    redis.call('PEXPIRE', lock, math.max(redis.call('PTTL', lock), tonumber(lease)))
    return 1
  end
  return holder == 'lockable:shared' and extend_share(lock, KEYS[i + 1], owner, lease) or 0
end

if #KEYS == 2 then
  return {extend(1)}
end
local results = {}
for i = 1, #KEYS, 2 do
  local done, result = pcall(extend, i)
  results[#results + 1] = done and result or FAILED
end
return results
