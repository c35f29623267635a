-- Releases the lock and queues the next waiter of the same instance behind the others.
-- ARGV[1] owner token, ARGV[2] next owner token, ARGV[3] its lease in milliseconds, ARGV[4] inbox, ARGV[5] waiter timeout in milliseconds
-- result {1 if the owner held the lock else 0, then as for enqueue}
-- invariant: as for release and enqueue.

-- include tokens
-- include answers
-- include holders
-- include inboxes
-- include grant
-- include recall
local now = clock()
local owner, next, lease, inbox = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local former = redis.call('GET', KEYS[1])
if former ~= next then
  join_queue(next, lease, inbox, now)
end
local released = release(owner, now, next)
local holder = redis.call('GET', KEYS[1])
if not holder then
  grant_next(now, next, 0)
  holder = redis.call('GET', KEYS[1])
end
if holder == next then
  return {released, (table.unpack or unpack)(granted(now, held(lease, now)))}
end
return {released, (table.unpack or unpack)(refused(redis.call('PTTL', KEYS[1]), holder == former and recall(holder, next, inbox) or 0))}
