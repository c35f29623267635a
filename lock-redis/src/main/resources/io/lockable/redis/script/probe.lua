-- Sends a message to the inbox of the instance itself, as the other scripts send theirs.
-- KEYS[1] any lock, ARGV[1] the inbox, ARGV[2] the number of the probe
-- result 1, or 0 if the server refuses the message
-- message: 'probe' and the number
-- invariant: nothing is written.

-- include inboxes
return send(ARGV[1], 'probe ' .. ARGV[2]) and 1 or 0
