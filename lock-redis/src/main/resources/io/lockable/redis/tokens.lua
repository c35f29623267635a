-- Common part of the scripts that give a lock. All scripts of one lock have the same KEYS:
--   KEYS[1] the lock: a string, the owner token, that expires with the lease
--   KEYS[2] the last fencing token that was reserved; outlives the lease by a minute, after which the clock alone is enough
--   KEYS[3] the queue: a list of owner tokens, next first
--   KEYS[4] the waiters: a hash, from owner token to 'inbox lease'
-- The server's clock alone decides; tokens are max(last + 1, clock in microseconds), so they only grow.

local COMPANION_TTL = 60000
local TOKENS = 32

local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

local function text(number)
  return string.format('%.0f', number)
end

-- Returns the first and the last token of a block that follows all blocks given before.
local function next_tokens(now)
  local first = now
  local last = redis.call('GET', KEYS[2])
  if last and tonumber(last) >= first then
    first = tonumber(last) + 1
  end
  return first, first + TOKENS - 1
end

-- Gives the lock to an owner, with a new block of tokens.
local function hold(owner, lease, last)
  redis.call('SET', KEYS[1], owner, 'PX', lease)
  redis.call('SET', KEYS[2], text(last), 'PX', lease + COMPANION_TTL)
end

-- The same grant again, for an owner who holds the lock and asks twice; its lease is never shortened.
local function held(lease, now)
  if redis.call('PTTL', KEYS[1]) < tonumber(lease) then
    redis.call('PEXPIRE', KEYS[1], lease)
  end
  local last = tonumber(redis.call('GET', KEYS[2]) or now + TOKENS)
  return {1, last - TOKENS + 1, last, redis.call('EXISTS', KEYS[3]), now}
end

local function refused(now)
  return {0, redis.call('PTTL', KEYS[1]), now}
end
