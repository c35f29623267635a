-- Tells whether anybody holds the lock. A script, so that it is never answered by a replica.
-- KEYS[1] the lock
-- result 1 or 0

return redis.call('EXISTS', KEYS[1])
