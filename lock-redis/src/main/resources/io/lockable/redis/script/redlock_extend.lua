-- Extends locks on one of several masters: each lease lasts at least the given time from now, if its owner holds the lock here.
-- KEYS for each the lock, its last token and the state of its last acquisition here
-- ARGV[1] the number of the request, greater than those of earlier ones; then for each its owner token and its lease in milliseconds
-- result for each the last token, or the clock if it has expired; 0 if the owner does not hold the lock; MISSING if it may be restored;
-- or FAILED if the script with that lock alone reports the error
-- invariant: a lease is never shortened; a lock of another owner never changes; an error of one lock affects no other.
-- A master that restarted empty, or was away for longer than the lease, has lost a lock that a majority of the masters may still have.
-- Its state is then 'missing number owner' until the extended lease would end. 'redlock_restore' requires that state. A release replaces
-- it, and so does each acquisition, so neither a released lock nor that of another owner comes back.

-- include tokens
local FAILED = -9007199254740992
local MISSING = -1

local function extend(lock, fence, outcome, owner, lease)
  local holder = redis.call('GET', lock)
  if holder == owner then
    redis.call('PEXPIRE', lock, math.max(redis.call('PTTL', lock), tonumber(lease)))
    -- A companion that another client has replaced by another type does not end the lease.
    return token(redis.pcall('GET', fence)) or clock()
  end
  if holder or string.match(redis.call('GET', outcome) or '', '^released %d+ (.*)$') == owner then
    return 0
  end
  -- A full server refuses this SET: the lock is not restored.
  return redis.pcall('SET', outcome, 'missing ' .. ARGV[1] .. ' ' .. owner, 'PX', lease).ok and MISSING or 0
end

if #KEYS == 3 then
  return {extend(KEYS[1], KEYS[2], KEYS[3], ARGV[2], ARGV[3])}
end
local results = {}
for i = 3, #KEYS, 3 do
  local at = 2 * #results + 2
  local done, result = pcall(extend, KEYS[i - 2], KEYS[i - 1], KEYS[i], ARGV[at], ARGV[at + 1])
  results[#results + 1] = done and result or FAILED
end
return results
