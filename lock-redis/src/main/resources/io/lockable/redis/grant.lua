-- Common part of the scripts that serve the queue of waiters.

local function leave_queue(owner)
  if redis.call('HDEL', KEYS[4], owner) == 1 then
    redis.call('LREM', KEYS[3], 1, owner)
  end
end

local function join_queue(owner, lease, inbox)
  if redis.call('HSETNX', KEYS[4], owner, inbox .. ' ' .. lease) == 1 then
    redis.call('RPUSH', KEYS[3], owner)
  end
  redis.call('PEXPIRE', KEYS[3], COMPANION_TTL)
  redis.call('PEXPIRE', KEYS[4], COMPANION_TTL)
end

-- Gives a lock that is free, or about to be, to the first waiter that somebody listens for. The waiter 'asking' gets the
-- script's answer instead of a message.
-- Returns whether somebody has the lock now.
local function grant_next(now, asking)
  local owner = redis.call('LPOP', KEYS[3])
  while owner do
    local entry = redis.call('HGET', KEYS[4], owner)
    redis.call('HDEL', KEYS[4], owner)
    if entry then
      local inbox, lease = string.match(entry, '^(%S+) (%d+)$')
      local first, last = next_tokens(now)
      local others = redis.call('EXISTS', KEYS[3])
      local message = table.concat({text(first), text(last), others, text(now), #KEYS[1], KEYS[1] .. owner}, ' ')
      if owner == asking or redis.call('PUBLISH', inbox, message) > 0 then
        hold(owner, lease, last)
        return true
      end
    end
    owner = redis.call('LPOP', KEYS[3])
  end
  return false
end

local function release(owner, now, asking)
  if redis.call('GET', KEYS[1]) ~= owner then
    return 0
  end
  if not grant_next(now, asking) then
    redis.call('DEL', KEYS[1])
  end
  return 1
end
