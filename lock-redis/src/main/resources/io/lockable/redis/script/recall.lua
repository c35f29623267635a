-- Common part of the scripts that recall a lock from a holder, because its instance may only retain it. uses inboxes, grant
-- The owner token of a recallable holder has an inbox. That inbox must also have a subscriber, which only a single server can exclude.
-- The value of KEYS[1] may be any text, of any length. A lock that is kept after its release has a value that ends differently.
-- message: 'recall', the lengths in bytes of key, holder and requesting owner; then these three and the address of the requesting inbox
-- invariant: all writes precede the message, so a failed script has sent none.

-- Returns the channel of a recallable holder, or a false value.
local function inbox_to_ask(holder)
  local inbox = holder and inbox_of(holder)
  return inbox and may_listen(inbox) and inbox
end

-- Recalls the lock from its holder, if it is recallable. Returns 1 if the holder was notified, otherwise 0.
local function recall(holder, asking, reply_to)
  local inbox = inbox_to_ask(holder)
  if not inbox then
    return 0
  end
  local sent = send(inbox, table.concat({'recall', #KEYS[1], #holder, #asking,
    KEYS[1] .. holder .. asking .. string.sub(reply_to, #INBOX + 1)}, ' '))
  return sent and 1 or 0
end

-- Queues the owner and recalls the lock, if its holder is recallable. Returns 1 if the holder was notified, otherwise 0.
local function queue_and_recall(holder, asking, lease, reply_to, now, permits)
  if not inbox_to_ask(holder) then
    -- An earlier copy of the command may have joined it.
    leave_queue(asking)
    return 0
  end
  join_queue(asking, lease, reply_to, now, permits)
  local recalled = recall(holder, asking, reply_to)
  if recalled == 0 then
    leave_queue(asking)
  end
  return recalled
end
