-- Acquires the lock if it is free, or queues the owner once and recalls the lock from its holder.
-- ARGV[1] owner token, ARGV[2] lease in milliseconds, ARGV[3] inbox, ARGV[4] 'queue', 'fair' to queue behind waiters of a free lock, or
-- 'recall' to queue only behind a recallable holder, ARGV[5] waiter timeout in milliseconds
-- result {1, first token, last token, others waiting, microseconds} or {0, remaining milliseconds, last reserved token or 0, recalled}
-- recalled is 1 if the holder was notified; a holder that was granted the lock in this step is not, because its grant reports the waiters
-- invariant: the owner, if it is queued, is in the queue, or holds the lock, never both.

-- include tokens
-- include answers
-- include holders
-- include inboxes
-- include grant
-- include recall
local now = clock()
local owner, lease, inbox, fair = ARGV[1], ARGV[2], ARGV[3], ARGV[4] == 'fair'
local holder = redis.call('GET', KEYS[1])
if holder == owner then
  leave_queue(owner)
  return granted(now, held(lease, now))
end
if not holder then
  local head = fair and redis.call('LINDEX', KEYS[3], 0)
  if head and head ~= owner then
    join_queue(owner, lease, inbox, now)
    grant_next(now, owner, 0)
    if redis.call('GET', KEYS[1]) == owner then
      return granted(now, held(lease, now))
    end
  else
    leave_queue(owner)
    redis.call('SET', KEYS[1], owner, 'PX', lease)
    return granted(now, reserve(now))
  end
end
if ARGV[4] == 'recall' then
  return refused(redis.call('PTTL', KEYS[1]), queue_and_recall(holder, owner, lease, inbox, now))
end
join_queue(owner, lease, inbox, now)
return refused(redis.call('PTTL', KEYS[1]), recall(holder, owner, inbox))
