-- Tells whether anybody shares the lock. A script, so that it is never answered by a replica.
-- KEYS[1] the lock
-- result 1 or 0

-- include tokens
-- include sharers
return redis.call('GET', KEYS[1]) == SHARED and 1 or 0
