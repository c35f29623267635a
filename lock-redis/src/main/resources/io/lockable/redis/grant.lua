-- Common part of the scripts that serve the queue of waiters. uses tokens, sharers
--
-- A waiter that nobody listens for is passed over. The count that PUBLISH returns tells, but on a cluster it leaves out the
-- listeners of other nodes: there a waiter counts as dead when it has not asked for SILENCE, as one that lives asks every
-- ten seconds. What that costs: a waiter that died a moment ago may be given the lock, which is free again after its lease.
-- ARGV, last: 1 on a cluster

local SILENCE = 15000000

local function text(number)
  return string.format('%.0f', number)
end

local function leave_queue(owner)
  if redis.call('HDEL', KEYS[4], owner) == 1 then
    redis.call('LREM', KEYS[3], 1, owner)
  end
end

-- 'permits' is how many may share the lock, nothing for one who wants all of it.
local function join_queue(owner, lease, inbox, now, permits)
  local entry = inbox .. ' ' .. lease .. ' ' .. text(now) .. ' ' .. (permits or '')
  if redis.call('HSET', KEYS[4], owner, entry) == 1 then
    redis.call('RPUSH', KEYS[3], owner)
  end
  redis.call('PEXPIRE', KEYS[3], COMPANION_TTL)
  redis.call('PEXPIRE', KEYS[4], COMPANION_TTL)
end

-- Looked at first where a message cannot be taken back.
local function is_alive(inbox, asked, now)
  if ARGV[#ARGV] ~= '1' then
    return redis.call('PUBSUB', 'NUMSUB', inbox)[2] > 0
  end
  return now - asked < SILENCE
end

-- Sends a grant. Returns whether somebody has received it, or will as far as can be known.
local function deliver(inbox, asked, now, message)
  if ARGV[#ARGV] ~= '1' then
    return redis.call('PUBLISH', inbox, message) > 0
  end
  local alive = is_alive(inbox, asked, now)
  if alive then
    redis.call('PUBLISH', inbox, message)
  end
  return alive
end

local function remove_head(owner)
  redis.call('LPOP', KEYS[3])
  redis.call('HDEL', KEYS[4], owner)
end

-- Gives a lock that is free or about to be, or that 'sharers' share, to the waiters at the head of the queue: all of it to one,
-- or shares to those who follow each other. A head that may not enter yet keeps the others waiting, but not if it is dead. The
-- waiter 'asking' gets the script's answer instead of a message.
-- Returns whether somebody has the lock now.
local function grant_next(now, asking, sharers)
  local owner = redis.call('LINDEX', KEYS[3], 0)
  while owner do
    local inbox, lease, asked, permits = string.match(redis.call('HGET', KEYS[4], owner) or '', '^(%S+) (%d+) (%d+) (%d*)$')
    local all = permits == ''
    local open = all and sharers == 0 or not all and sharers < (tonumber(permits) or 0)
    if inbox and not open and is_alive(inbox, asked, now) then
      break
    end
    remove_head(owner)
    if inbox and open then
      local last = reserve(now)
      local others = redis.call('EXISTS', KEYS[3])
      local message = table.concat({text(last - TOKENS + 1), text(last), others, text(now), #KEYS[1], KEYS[1] .. owner}, ' ')
      if owner == asking or deliver(inbox, asked, now, message) then
        if all then
          redis.call('SET', KEYS[1], owner, 'PX', lease)
          return true
        end
        add_sharer(owner, lease, last, now, sharers)
        sharers = sharers + 1
      end
    end
    owner = redis.call('LINDEX', KEYS[3], 0)
  end
  if sharers > 0 then
    show_shared()
  end
  return sharers > 0
end

-- Gives a held lock to the next waiter, or frees it. Returns 1.
local function pass_on(now, asking)
  if not grant_next(now, asking, 0) then
    redis.call('DEL', KEYS[1])
  end
  return 1
end

-- Ends one share of a lock that is shared, if the owner has one. Returns 1, or 0 if it has none.
local function leave_sharers(owner, now)
  local count = count_sharers(now)
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
