-- Acquires a share if no owner holds the lock exclusively, fewer than its permits share it, and no waiter is queued; or queues the owner
-- once.
-- ARGV[1] owner token, ARGV[2] lease in milliseconds, ARGV[3] permits, ARGV[4] inbox, ARGV[5] 'try', 'queue', or 'recall' to queue
-- only behind a recallable holder, ARGV[6] waiter timeout in milliseconds
-- result {1, first token, last token, others waiting, microseconds} or {0, remaining milliseconds, last reserved token or 0, recalled}
-- recalled is 1 if an exclusive holder was notified, or is recallable if the owner is not to be queued
-- invariant: the owner is in the queue, or shares the lock, never both; no owner enters before a live waiter.

-- include tokens
-- include answers
-- include holders
-- include inboxes
-- include grant
-- include recall
local now = clock()
local owner, lease, permits, inbox, way = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5]
local former = redis.call('GET', KEYS[1])
local holder = former
local count = 0
if not holder or holder == SHARED then
  count = holder and count_holders(now) or 0
  if count > 0 and redis.call('ZSCORE', KEYS[5], owner) then
    leave_queue(owner)
    prolong_holder(owner, lease, now)
    return granted(now, token_of_holder(owner, now))
  end
  if redis.call('EXISTS', KEYS[3]) == 1 then
    grant_next(now, owner, count)
    holder = redis.call('GET', KEYS[1])
    count = holder == SHARED and count_holders(now) or 0
    if count > 0 and redis.call('ZSCORE', KEYS[5], owner) then
      return granted(now, token_of_holder(owner, now))
    end
  end
  if (not holder or holder == SHARED) and count < permits and redis.call('EXISTS', KEYS[3]) == 0 then
    local last, before = reserve(now)
    add_holder(owner, lease, last, now, count)
    show_shared()
    return granted(now, last, before)
  end
end
local recalled = former and inbox_of(former) and 1 or 0
if way == 'queue' then
  join_queue(owner, lease, inbox, now, permits)
  recalled = recall(former, owner, inbox)
elseif way == 'recall' then
  recalled = queue_and_recall(former, owner, lease, inbox, now, permits)
end
if count > 0 and count >= permits then
  local first = redis.call('ZRANGE', KEYS[5], 0, 0, 'WITHSCORES')[2]
  return refused(math.max(0, first - millis(now)))
end
return refused(redis.call('PTTL', KEYS[1]), recalled)
