-- Lets locks live at least a lease from now on, each if its owner holds it or a share of it.
-- KEYS for each the lock and its sharers; ARGV for each its owner token and its lease in milliseconds
-- result for each 1, or 0 if the owner does not hold the lock
-- invariant: a lease is never shortened; what another owner holds is never touched; whose answer is 1, for that something is written,
-- so that replicas which acknowledge it have what was written before.

local function extend_share(lock, sharers, owner, lease)
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local ends = redis.call('ZSCORE', sharers, owner)
  if not ends or tonumber(ends) <= now then
    return 0
  end
  redis.call('ZADD', sharers, 'GT', now + lease, owner)
  local last = now + math.max(redis.call('PTTL', lock), tonumber(lease))
  redis.call('PEXPIREAT', lock, last)
  redis.call('PEXPIREAT', sharers, last)
  return 1
end

local results = {}
for i = 1, #KEYS, 2 do
  local lock, owner, lease = KEYS[i], ARGV[i], ARGV[i + 1]
  local holder = redis.call('GET', lock)
  local held = 0
  if holder == owner then
    redis.call('PEXPIRE', lock, math.max(redis.call('PTTL', lock), tonumber(lease)))
    held = 1
  elseif holder == 'lockable:shared' then
    held = extend_share(lock, KEYS[i + 1], owner, lease)
  end
  results[#results + 1] = held
end
return results
