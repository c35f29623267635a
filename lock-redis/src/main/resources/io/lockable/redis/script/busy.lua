-- Answers the recall of a lock: its holder uses it.
-- KEYS[1] the lock, ARGV[1] the address of the requesting inbox, ARGV[2] the requesting owner token
-- result 1, or 0 if the server refuses the message
-- message: 'busy', the length of the key in bytes; then the key and the owner token
-- invariant: nothing is written.

-- include inboxes
return send(INBOX .. ARGV[1], table.concat({'busy', #KEYS[1], KEYS[1] .. ARGV[2]}, ' ')) and 1 or 0
