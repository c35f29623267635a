-- Acquires a share if no owner holds the lock exclusively, fewer than its permits share it, and no waiter is queued; or queues the owner
-- once.
-- ARGV[1] owner token, ARGV[2] lease in milliseconds, ARGV[3] permits, ARGV[4] inbox, or empty for a single try, ARGV[5] waiter timeout in
-- milliseconds, ARGV[6] 1 on a cluster
-- result {1, first token, last token, others waiting, microseconds} or {0, remaining milliseconds, last reserved token or 0, recalled}, the
-- last 1 if the lock was recalled from an exclusive holder
-- invariant: the owner is in the queue, or shares the lock, never both; no owner enters before a live waiter.

-- include tokens
-- include answers
-- include holders
-- include grant
-- include recall
local now = clock()
local owner, lease, permits, inbox = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
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
if inbox ~= '' then
  join_queue(owner, lease, inbox, now, permits)
end
if count > 0 and count >= permits then
  local first = redis.call('ZRANGE', KEYS[5], 0, 0, 'WITHSCORES')[2]
  return refused(math.max(0, first - millis(now)))
end
return refused(redis.call('PTTL', KEYS[1]), inbox ~= '' and recall(former, owner, inbox) or 0)
