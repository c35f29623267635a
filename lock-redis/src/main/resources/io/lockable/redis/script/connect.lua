-- Does nothing: the call connects, and loads the classes of the client.
-- KEYS[1] the lock
-- result 1
-- invariant: nothing is read or written.

return 1
