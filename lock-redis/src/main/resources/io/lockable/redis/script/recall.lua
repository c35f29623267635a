-- Common part of the scripts that recall a lock from a holder, because its instance may only retain it.
-- The owner token of a recallable holder ends with '@' and the 16 digits after INBOX in the channel of its instance.
-- On a single server, that channel must have a subscriber; on a cluster, subscribers may be at other nodes, so each such holder is
-- recallable.
-- The value of KEYS[1] may be any text, of any length. A lock that is kept after its release has no recallable holder.
-- message: 'recall', the lengths in bytes of key, holder and requesting owner; then these three and the address of the requesting inbox
-- invariant: all writes precede the message, so a failed script has sent none.
-- ARGV, last: 1 on a cluster

local INBOX = 'lockable:inbox:'

-- Returns the channel of the instance of this owner token, or a false value.
local function inbox_of(owner)
  local address = string.match(string.sub(owner, -17), '^@(' .. string.rep('%x', 16) .. ')$')
  return address and string.sub(owner, 1, 5) ~= 'kept:' and INBOX .. address
end

-- Returns the channel of a recallable holder, or a false value.
local function inbox_to_ask(holder)
  local inbox = holder and inbox_of(holder)
  return inbox and (ARGV[#ARGV] == '1' or redis.call('PUBSUB', 'NUMSUB', inbox)[2] > 0) and inbox
end

-- Recalls the lock from its holder, if it is recallable. Returns 1 if the holder was notified, otherwise 0.
local function recall(holder, asking, reply_to)
  local inbox = inbox_to_ask(holder)
  if not inbox then
    return 0
  end
  redis.call('PUBLISH', inbox, table.concat({'recall', #KEYS[1], #holder, #asking,
    KEYS[1] .. holder .. asking .. string.sub(reply_to, #INBOX + 1)}, ' '))
  return 1
end
