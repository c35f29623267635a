-- Takes the lock if nobody holds it, or else queues the owner, once.
-- uses tokens, grant
-- ARGV[1] owner token, ARGV[2] lease in milliseconds, ARGV[3] inbox, ARGV[4] 1 to queue behind waiters of a free lock
-- result {1, first token, last token, others waiting, microseconds} or {0, remaining milliseconds, microseconds}
-- invariant: the owner is in the queue, or holds the lock, never both.

local now = clock()
local owner, lease, inbox, fair = ARGV[1], ARGV[2], ARGV[3], ARGV[4] == '1'
local holder = redis.call('GET', KEYS[1])
if holder == owner then
  leave_queue(owner)
  return held(lease, now)
end
if not holder then
  local head = fair and redis.call('LINDEX', KEYS[3], 0)
  if head and head ~= owner then
    join_queue(owner, lease, inbox)
    grant_next(now, owner)
    if redis.call('GET', KEYS[1]) == owner then
      return held(lease, now)
    end
  else
    leave_queue(owner)
    local first, last = next_tokens(now)
    hold(owner, lease, last)
    return {1, first, last, redis.call('EXISTS', KEYS[3]), now}
  end
end
join_queue(owner, lease, inbox)
return refused(now)
