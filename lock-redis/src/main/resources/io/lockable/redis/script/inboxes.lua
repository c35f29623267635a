-- Common part of the scripts that send messages. The inbox of an instance is a channel.

local INBOX = 'lockable:inbox:'

-- Returns the inbox of the instance of an owner token that ends with '@' and the 16 digits after INBOX; or a false value.
local function inbox_of(owner)
  local address = string.match(string.sub(owner, -17), '^@(' .. string.rep('%x', 16) .. ')$')
  return address and INBOX .. address
end

-- Returns whether an inbox may have a subscriber. A server of a cluster, which alone has an id, does not count the subscribers of others.
local function may_listen(inbox)
  return redis.call('PUBSUB', 'NUMSUB', inbox)[2] > 0 or type(redis.pcall('CLUSTER', 'MYID')) == 'string'
end

-- Returns whether the server has accepted a message. It may refuse those of scripts, which must not fail after their writes.
local function send(inbox, message)
  return type(redis.pcall('PUBLISH', inbox, message)) == 'number'
end
