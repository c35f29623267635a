-- Leaves the queue, and passes the lock on if it was granted meanwhile.
-- ARGV[1] owner token, ARGV[2] 1 on a cluster
-- result 1 if the owner held the lock, else 0
-- invariant: afterwards the owner neither waits nor holds.

-- include tokens
-- include grant
leave_queue(ARGV[1])
return release(ARGV[1], clock())
