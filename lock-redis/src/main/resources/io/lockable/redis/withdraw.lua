-- Leaves the queue, and passes the lock on if it was granted meanwhile.
-- uses tokens, grant
-- ARGV[1] owner token
-- result {1} if the owner held the lock, else {0}
-- invariant: afterwards the owner neither waits nor holds.

leave_queue(ARGV[1])
return {release(ARGV[1], clock())}
