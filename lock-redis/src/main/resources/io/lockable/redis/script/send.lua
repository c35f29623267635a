-- Sends a message from one instance to another one, or to all.
-- KEYS[1] any lock, ARGV[1] the address of the inbox, ARGV[2] the text
-- result the number of receivers, 0 if the server refuses the message; -1 on a server of a cluster, which does not count the subscribers of others
-- message: 'text' and the text
-- invariant: nothing is written.

-- include inboxes
local receivers = redis.pcall('PUBLISH', INBOX .. ARGV[1], 'text ' .. ARGV[2])
if type(receivers) ~= 'number' then
  return 0
end
return type(redis.pcall('CLUSTER', 'MYID')) == 'string' and -1 or receivers
