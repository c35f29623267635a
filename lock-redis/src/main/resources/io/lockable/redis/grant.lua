-- Common part of the scripts that serve the queue of waiters. uses tokens
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

local function join_queue(owner, lease, inbox, now)
  if redis.call('HSET', KEYS[4], owner, inbox .. ' ' .. lease .. ' ' .. text(now)) == 1 then
    redis.call('RPUSH', KEYS[3], owner)
  end
  redis.call('PEXPIRE', KEYS[3], COMPANION_TTL)
  redis.call('PEXPIRE', KEYS[4], COMPANION_TTL)
end

-- Sends a grant. Returns whether somebody has received it, or will as far as can be known.
local function deliver(inbox, asked, now, message)
  if ARGV[#ARGV] ~= '1' then
    return redis.call('PUBLISH', inbox, message) > 0
  end
  -- Looked at first, because a message cannot be taken back.
  local alive = now - asked < SILENCE
  if alive then
    redis.call('PUBLISH', inbox, message)
  end
  return alive
end

-- Gives a lock that is free, or about to be, to the first live waiter. The waiter 'asking' gets the script's answer instead
-- of a message.
-- Returns whether somebody has the lock now.
local function grant_next(now, asking)
  local owner = redis.call('LPOP', KEYS[3])
  while owner do
    local entry = redis.call('HGET', KEYS[4], owner)
    redis.call('HDEL', KEYS[4], owner)
    if entry then
      local inbox, lease, asked = string.match(entry, '^(%S+) (%d+) (%d+)$')
      local last = reserve(lease, now)
      local others = redis.call('EXISTS', KEYS[3])
      local message = table.concat({text(last - TOKENS + 1), text(last), others, text(now), #KEYS[1], KEYS[1] .. owner}, ' ')
      if owner == asking or deliver(inbox, asked, now, message) then
        redis.call('SET', KEYS[1], owner, 'PX', lease)
        return true
      end
    end
    owner = redis.call('LPOP', KEYS[3])
  end
  return false
end

-- Gives a held lock to the next waiter, or frees it. Returns 1.
local function pass_on(now, asking)
  if not grant_next(now, asking) then
    redis.call('DEL', KEYS[1])
  end
  return 1
end

local function release(owner, now, asking)
  return redis.call('GET', KEYS[1]) == owner and pass_on(now, asking) or 0
end
