-- Common part of the scripts that serve the queue of waiters. uses tokens, holders, inboxes
-- A waiter is alive, on each topology, if its last request is younger than the waiter timeout, by this server's clock.
-- Its inbox must also have a subscriber, which only a single server can exclude. A dead waiter is skipped.
-- A waiter may die after its request. A grant therefore sets a first lease of at most the waiter timeout. The new holder extends it if it
-- stays longer than a third of it.
-- A dead waiter costs one waiter timeout, independent of its lease. By then, the entries of all waiters that died with it are too old.
-- invariant: all writes precede the first message, so a failed script has sent none. A refused message changes nothing else.
-- ARGV, last: the waiter timeout in milliseconds

local WAITER_TIMEOUT = tonumber(ARGV[#ARGV])

local function text(number)
  return string.format('%.0f', number)
end

local function leave_queue(owner)
  if redis.call('HDEL', KEYS[4], owner) == 1 then
    redis.call('LREM', KEYS[3], 1, owner)
  end
end

-- 'permits' is the maximum number of sharers, empty for an exclusive waiter.
-- Sets the expiry first: a full server refuses HSET as the first write of a script, but not as a later one.
local function join_queue(owner, lease, inbox, now, permits)
  local entry = inbox .. ' ' .. lease .. ' ' .. text(now) .. ' ' .. (permits or '')
  redis.call('PEXPIRE', KEYS[4], COMPANION_TTL)
  if redis.call('HSET', KEYS[4], owner, entry) == 1 then
    redis.call('RPUSH', KEYS[3], owner)
  end
  redis.call('PEXPIRE', KEYS[3], COMPANION_TTL)
  redis.call('PEXPIRE', KEYS[4], COMPANION_TTL)
end

local function is_alive(inbox, asked, now)
  return now - asked < WAITER_TIMEOUT * 1000 and may_listen(inbox)
end

local function remove_head(owner)
  redis.call('LPOP', KEYS[3])
  redis.call('HDEL', KEYS[4], owner)
end

-- Grants a lock that is free, about to be free, or shared by 'holders', to the head of the queue: exclusively to one waiter, or as shares
-- to consecutive waiters.
-- A live head that may not enter yet blocks the waiters behind it. The waiter 'asking' receives the script's answer instead of a message.
-- Returns whether the lock is held afterwards.
local function grant_next(now, asking, holders)
  local messages = {}
  local taken = false
  local owner = redis.call('LINDEX', KEYS[3], 0)
  while owner do
    local inbox, lease, asked, permits = string.match(redis.call('HGET', KEYS[4], owner) or '', '^(%S+) (%d+) (%d+) (%d*)$')
    local alive = inbox and tonumber(lease) > 0 and (owner == asking or is_alive(inbox, asked, now))
    local all = permits == ''
    local open = all and holders == 0 or not all and holders < (tonumber(permits) or 0)
    if alive and not open then
      break
    end
    remove_head(owner)
    if alive then
      local last, before = reserve(now)
      if owner ~= asking then
        lease = math.min(tonumber(lease), WAITER_TIMEOUT)
        local others = redis.call('EXISTS', KEYS[3])
        messages[#messages + 1] = inbox
        messages[#messages + 1] = table.concat({text(math.max(before, now - REACH) + 1), text(last), others, text(now), text(lease),
          #KEYS[1], KEYS[1] .. owner}, ' ')
      end
      if all then
        redis.call('SET', KEYS[1], owner, 'PX', lease)
        taken = true
        break
      end
      add_holder(owner, lease, last, now, holders)
      holders = holders + 1
    end
    owner = redis.call('LINDEX', KEYS[3], 0)
  end
  if holders > 0 then
    show_shared()
  end
  for i = 1, #messages, 2 do
    send(messages[i], messages[i + 1])
  end
  return taken or holders > 0
end

-- Grants a held lock to the next waiter, or frees it. Returns 1.
local function pass_on(now, asking)
  if not grant_next(now, asking, 0) then
    redis.call('DEL', KEYS[1])
  end
  return 1
end

-- Ends the owner's share of a shared lock. Returns 1, or 0 if the owner has none.
local function leave_holders(owner, now)
  local count = count_holders(now)
  local left = redis.call('ZREM', KEYS[5], owner)
  redis.call('HDEL', KEYS[6], owner)
  if not grant_next(now, nil, count - left) then
    redis.call('DEL', KEYS[1])
  end
  return left
end

local function release(owner, now, asking)
  return redis.call('GET', KEYS[1]) == owner and pass_on(now, asking) or 0
end
