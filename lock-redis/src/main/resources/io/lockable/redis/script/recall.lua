-- Common part of the scripts that ask the holder of a lock for it, because its instance may only retain it.
--
-- The owner token of such a holder ends with '@' and the 16 digits after INBOX in the channel of its instance. One rule says who can be
-- asked: on a single server the channel has a subscriber; on a cluster it may be at another node, so every such holder can be asked.
-- The value of KEYS[1] may be any text, of any length. A lock that is kept for nobody after its release has no holder to ask.
-- message: 'recall', the lengths in bytes of key, holder and asking owner; then these three and the address of the inbox that asks
-- invariant: all writes come before the message, so a script that fails has sent none.
-- ARGV, last: 1 on a cluster

local INBOX = 'lockable:inbox:'

-- Returns the channel of the instance whose owner token this is, or nothing.
local function inbox_of(owner)
  local address = string.match(string.sub(owner, -17), '^@(' .. string.rep('%x', 16) .. ')$')
  return address and string.sub(owner, 1, 5) ~= 'kept:' and INBOX .. address
end

-- Returns the channel of a holder who can be asked for the lock, or nothing.
local function inbox_to_ask(holder)
  local inbox = holder and inbox_of(holder)
  return inbox and (ARGV[#ARGV] == '1' or redis.call('PUBSUB', 'NUMSUB', inbox)[2] > 0) and inbox
end

-- Asks the holder for the lock, if it can be asked. Returns 1 if it was asked, else 0.
local function recall(holder, asking, reply_to)
  local inbox = inbox_to_ask(holder)
  if not inbox then
    return 0
  end
  redis.call('PUBLISH', inbox, table.concat({'recall', #KEYS[1], #holder, #asking,
    KEYS[1] .. holder .. asking .. string.sub(reply_to, #INBOX + 1)}, ' '))
  return 1
end
