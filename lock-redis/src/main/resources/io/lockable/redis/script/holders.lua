-- Common part of the scripts that support shared locks. uses tokens
--   KEYS[5] the holders: a sorted set of owner tokens, by the millisecond at which each lease ends
--   KEYS[6] their last fencing tokens: a hash, by owner token
-- invariant: while a lock is shared, KEYS[1] is SHARED and expires with the last of the leases.
-- Every other client, such as a hand-written lock, therefore sees a held lock. Only then does KEYS[5] count:
-- without KEYS[1], its remaining entries are no shares. An owner token is never SHARED, because each has a unique part.

local SHARED = 'lockable:shared'

local function millis(now)
  return math.floor(now / 1000)
end

-- Removes expired shares from a shared lock. Returns the number of sharers.
local function count_holders(now)
  local ended = redis.call('ZRANGEBYSCORE', KEYS[5], '-inf', millis(now))
  for _, owner in ipairs(ended) do
    redis.call('ZREM', KEYS[5], owner)
    redis.call('HDEL', KEYS[6], owner)
  end
  return redis.call('ZCARD', KEYS[5])
end

-- Sets the value of a shared lock, as other clients see it.
local function show_shared()
  -- Other clients may have added any score
  local last = math.min(math.ceil(tonumber(redis.call('ZRANGE', KEYS[5], -1, -1, 'WITHSCORES')[2])), 9007199254740992)
  redis.call('SET', KEYS[1], SHARED, 'PXAT', last)
  redis.call('PEXPIREAT', KEYS[5], last)
  redis.call('PEXPIREAT', KEYS[6], last + COMPANION_TTL)
end

-- Adds a sharer to a lock with 'count' sharers. show_shared must follow.
local function add_holder(owner, lease, last, now, count)
  if count == 0 then
    redis.call('DEL', KEYS[5], KEYS[6])
  end
  redis.call('ZADD', KEYS[5], millis(now) + lease, owner)
  redis.call('HSET', KEYS[6], owner, last)
end

-- Extends the lease of a sharer to at least the given time.
local function prolong_holder(owner, lease, now)
  redis.call('ZADD', KEYS[5], 'GT', millis(now) + lease, owner)
  show_shared()
end

-- Returns the last fencing token of a sharer, or a new one if its lease has outlived it.
local function token_of_holder(owner, now)
  local last = token(redis.call('HGET', KEYS[6], owner))
  if not last then
    last = reserve(now)
    redis.call('HSET', KEYS[6], owner, last)
  end
  return last
end
