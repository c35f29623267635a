-- Exchanges the exclusive lock for a share of a successor, and grants shares to the head of the queue.
-- ARGV[1] owner token, ARGV[2] successor's owner token, ARGV[3] lease in milliseconds, ARGV[4] waiter timeout in milliseconds
-- result {1, first token, last token, others waiting, microseconds} or {0, remaining milliseconds, last reserved token or 0}
-- invariant: the lock is never free in between; a repeated call returns the same grant.

-- include tokens
-- include answers
-- include holders
-- include inboxes
-- include grant
local now = clock()
local owner, successor, lease = ARGV[1], ARGV[2], ARGV[3]
local holder = redis.call('GET', KEYS[1])
if holder == SHARED and count_holders(now) > 0 and redis.call('ZSCORE', KEYS[5], successor) then
  prolong_holder(successor, lease, now)
  return granted(now, token_of_holder(successor, now))
end
if holder ~= owner then
  return refused(redis.call('PTTL', KEYS[1]))
end
-- First: otherwise, a full server refuses the other writes
redis.call('PEXPIRE', KEYS[1], lease)
local last, before = reserve(now)
add_holder(successor, lease, last, now, 0)
grant_next(now, nil, 1)
return granted(now, last, before)
