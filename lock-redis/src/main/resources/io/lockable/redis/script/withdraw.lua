-- Removes the owner from the queue, and passes on a lock that it was granted meanwhile.
-- ARGV[1] owner token, ARGV[2] waiter timeout in milliseconds
-- result 1 if the owner held the lock or a share of it, otherwise 0
-- invariant: afterwards the owner neither waits nor holds; waiters that it blocked have entered.

-- include tokens
-- include holders
-- include inboxes
-- include grant
local owner, now = ARGV[1], clock()
leave_queue(owner)
local holder = redis.call('GET', KEYS[1])
if holder == SHARED then
  return leave_holders(owner, now)
end
if not holder then
  grant_next(now, nil, 0)
end
return release(owner, now)
