-- Extends the lock on one of several masters: the lease lasts at least the given time from now, if the owner holds the lock there.
-- KEYS[3] the state of the last acquisition here, as in 'redlock_acquire'
-- ARGV[1] owner token, ARGV[2] lease in milliseconds, ARGV[3] the number of the extension
-- result the last token here, which is positive, 0 if the owner does not hold the lock, or MISSING
-- invariant: a lease is never shortened; a lock of another owner never changes.
-- A master that restarted empty, or was away for longer than the lease, has lost a lock that a majority of the masters may still have.
-- Its state is then 'missing number owner' until the extended lease would end. 'redlock_restore' requires that state. A release replaces
-- it, and so does each acquisition, so neither a released lock nor that of another owner comes back.

-- include tokens
local MISSING = -1
local holder = redis.call('GET', KEYS[1])
if holder == ARGV[1] then
  redis.call('PEXPIRE', KEYS[1], math.max(redis.call('PTTL', KEYS[1]), tonumber(ARGV[2])))
  -- A companion that another client has replaced by another type does not end the lease.
  return token(redis.pcall('GET', KEYS[2])) or clock()
end
if holder or string.match(redis.call('GET', KEYS[3]) or '', '^released %d+ (.*)$') == ARGV[1] then
  return 0
end
-- A full server refuses this SET: the lock is not restored.
return redis.pcall('SET', KEYS[3], 'missing ' .. ARGV[3] .. ' ' .. ARGV[1], 'PX', ARGV[2]).ok and MISSING or 0
