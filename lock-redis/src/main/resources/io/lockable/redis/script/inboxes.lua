-- Common part of the scripts that send messages. The inbox of an instance is a channel.

local INBOX = 'lockable:inbox:'

-- Returns the inbox of the instance of an owner token that ends with '@' and the 16 digits after INBOX; or a false value.
local function inbox_of(owner)
  local address = string.match(string.sub(owner, -17), '^@(' .. string.rep('%x', 16) .. ')$')
  return address and INBOX .. address
end

-- Returns whether an inbox may have a subscriber. A server of a cluster does not count the subscribers of other servers.
-- Only a single server answers that it is no cluster. A user without the permission to ask learns nothing; the check of permissions does
-- not require it.
local function may_listen(inbox)
  if redis.call('PUBSUB', 'NUMSUB', inbox)[2] > 0 then
    return true
  end
  local optional = 'CLUSTER'
  local reply = redis.pcall(optional, 'MYID')
  return type(reply) ~= 'table' or not string.find(reply.err, 'cluster support disabled', 1, true)
end

-- Returns whether the server has accepted a message. It may refuse those of scripts, which must not fail after their writes.
local function send(inbox, message)
  return type(redis.pcall('PUBLISH', inbox, message)) == 'number'
end
