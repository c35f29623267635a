-- Common part of the scripts that know of shared locks. uses tokens
--   KEYS[5] the holders: a sorted set of owner tokens, by the millisecond at which each one's lease ends
--   KEYS[6] their last fencing tokens: a hash, by owner token
-- invariant: while a lock is shared, KEYS[1] is SHARED and expires when the last of the leases ends; so everybody who does
-- not share it, a hand-written lock for one, sees a lock that somebody holds. Only then does KEYS[5] count: what is left in it
-- of a lock whose KEYS[1] is gone is no share any more. No owner token is ever SHARED: they all have a part that is unique.

local SHARED = 'lockable:shared'

local function millis(now)
  return math.floor(now / 1000)
end

-- Removes those whose leases have ended from a lock that is shared. Returns how many share it.
local function count_holders(now)
  local ended = redis.call('ZRANGEBYSCORE', KEYS[5], '-inf', millis(now))
  for _, owner in ipairs(ended) do
    redis.call('ZREM', KEYS[5], owner)
    redis.call('HDEL', KEYS[6], owner)
  end
  return redis.call('ZCARD', KEYS[5])
end

-- Sets what a lock that is shared looks like from outside.
local function show_shared()
  -- Other clients may have added any score
  local last = math.min(math.ceil(tonumber(redis.call('ZRANGE', KEYS[5], -1, -1, 'WITHSCORES')[2])), 2 ^ 53)
  redis.call('SET', KEYS[1], SHARED, 'PXAT', last)
  redis.call('PEXPIREAT', KEYS[5], last)
  redis.call('PEXPIREAT', KEYS[6], last + COMPANION_TTL)
end

-- Lets an owner share a lock with the 'count' who do so already. show_shared has to follow.
local function add_holder(owner, lease, last, now, count)
  if count == 0 then
    redis.call('DEL', KEYS[5], KEYS[6])
  end
  redis.call('ZADD', KEYS[5], millis(now) + lease, owner)
  redis.call('HSET', KEYS[6], owner, last)
end

-- Lets the lease of one who shares the lock already live at least that long.
local function prolong_holder(owner, lease, now)
  redis.call('ZADD', KEYS[5], 'GT', millis(now) + lease, owner)
  show_shared()
end

-- Returns the last fencing token of one who shares the lock; a new one where its lease has outlived it.
local function token_of_holder(owner, now)
  local last = token(redis.call('HGET', KEYS[6], owner))
  if not last then
    last = reserve(now)
    redis.call('HSET', KEYS[6], owner, last)
  end
  return last
end
