-- Answers the recall of a lock: its holder uses it.
-- KEYS[1] the lock, ARGV[1] the address of the requesting inbox, ARGV[2] the requesting owner token
-- result the number of receivers of the message
-- message: 'busy', the length of the key in bytes; then the key and the owner token
-- invariant: nothing is written.

return redis.call('PUBLISH', 'lockable:inbox:' .. ARGV[1], table.concat({'busy', #KEYS[1], KEYS[1] .. ARGV[2]}, ' '))
