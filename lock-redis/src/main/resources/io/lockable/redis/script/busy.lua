-- Answers the recall of a lock: its holder works with it.
-- KEYS[1] the lock, ARGV[1] the address of the inbox that asks, ARGV[2] the owner token that asks
-- result how many have received the message
-- message: 'busy', the length of the key in bytes; then the key and the owner token
-- invariant: nothing is written.

return redis.call('PUBLISH', 'lockable:inbox:' .. ARGV[1], table.concat({'busy', #KEYS[1], KEYS[1] .. ARGV[2]}, ' '))
