-- Takes the lock if nobody holds it, or else queues the owner, once.
-- ARGV[1] owner token, ARGV[2] lease in milliseconds, ARGV[3] inbox, ARGV[4] 1 to queue behind waiters of a free lock,
-- ARGV[5] waiter timeout in milliseconds, ARGV[6] 1 on a cluster
-- result {1, first token, last token, others waiting, microseconds} or {0, remaining milliseconds, microseconds}
-- invariant: the owner is in the queue, or holds the lock, never both.

-- include tokens
-- include answers
-- include holders
-- include grant
local now = clock()
local owner, lease, inbox, fair = ARGV[1], ARGV[2], ARGV[3], ARGV[4] == '1'
local holder = redis.call('GET', KEYS[1])
if holder == owner then
  leave_queue(owner)
  return granted(held(lease, now), now)
end
if not holder then
  local head = fair and redis.call('LINDEX', KEYS[3], 0)
  if head and head ~= owner then
    join_queue(owner, lease, inbox, now)
    grant_next(now, owner, 0)
    if redis.call('GET', KEYS[1]) == owner then
      return granted(held(lease, now), now)
    end
  else
    leave_queue(owner)
    redis.call('SET', KEYS[1], owner, 'PX', lease)
    return granted(reserve(now), now)
  end
end
join_queue(owner, lease, inbox, now)
return refused(now)
