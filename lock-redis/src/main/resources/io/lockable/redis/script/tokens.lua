-- Common part of the scripts that give a lock. All scripts of one lock have the same KEYS:
--   KEYS[1] the lock: a string, the owner token, that expires with the lease
--   KEYS[2] the last fencing token that was reserved; outlives it by a minute at least, after which the clock alone is enough
--   KEYS[3] the queue: a list of owner tokens, next first
--   KEYS[4] the waiters: a hash, from owner token to 'inbox lease microseconds', the last being when it asked last
-- The server's clock alone decides; tokens only grow: a block of 32 ends at the clock in microseconds, or follows the block before.
-- A last token that is ahead of the clock, which was set back, is kept until the clock has passed it.

local COMPANION_TTL = 60000
local MINUTE = 60000000
local TOKENS = 32

-- The clock in microseconds, a number: 'redis.call' writes its 16 digits out, Lua's own '..' would not.
local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

-- Reserves a block of tokens that follows all blocks given before, those of KEYS[2] unless told. Returns its last token.
-- The first block of each minute of the clock sets the expiry two minutes on, the others leave it alone, which costs the server
-- less. A last token that is forgotten may have been this very microsecond, so the block then begins after the clock.
local function reserve(now, key)
  key = key or KEYS[2]
  local before = redis.call('SET', key, now, 'KEEPTTL', 'GET')
  local passed = before and now - before
  if passed and passed >= TOKENS and passed <= now % MINUTE then
    return now
  end
  local last = math.max(before or 0, now) + TOKENS
  redis.call('SET', key, last, 'PX', 2 * COMPANION_TTL + math.ceil((last - now) / 1000))
  return last
end
