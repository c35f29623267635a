-- Common part of the scripts that give a lock. All scripts of one lock have the same KEYS:
--   KEYS[1] the lock: a string, the owner token, that expires with the lease
--   KEYS[2] the last fencing token that was reserved; outlives it by a minute at least, after which the clock alone is enough
--   KEYS[3] the queue: a list of owner tokens, next first
--   KEYS[4] the waiters: a hash, from owner token to 'inbox lease microseconds', the last being when it asked last
-- The server's clock alone decides; tokens only grow: a block ends at the clock in microseconds, or 32 tokens after the block before.
-- One that ends at the clock begins after the block before, but at most REACH tokens before the clock: a server that lost its last
-- writes, in a restart or a failover, knows an older last token than its clients do. Its blocks follow theirs all the same, because it
-- was away for longer than twice REACH: tokens are used up to REACH ahead of the clock ('transfer').
-- A last token that is ahead of the clock, which was set back, is kept until the clock has passed it.

local COMPANION_TTL = 60000
local MINUTE = 60000000
local TOKENS = 32
local REACH = 10000

-- The clock in microseconds, a number: 'redis.call' writes its 16 digits out, Lua's own '..' would not.
local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

-- Returns a token that was stored, or nil. Other clients may have stored anything; what is beyond the digits of a number is no token.
local function token(stored)
  local number = tonumber(stored)
  return number and number > 0 and number < 2 ^ 53 and number or nil
end

-- Reserves at least 32 tokens that follow all blocks given before, those of KEYS[2] unless told. Returns the last one, and one that comes
-- before the first: full answers and messages give all tokens in between, within REACH, and a lone number gives the last 32.
-- The first block of each minute of the clock sets the expiry two minutes on, the others leave it alone, which costs the server
-- less. A last token that is forgotten may have been this very microsecond, so the block then begins after the clock.
local function reserve(now, key)
  key = key or KEYS[2]
  local before = token(redis.call('SET', key, now, 'KEEPTTL', 'GET'))
  local passed = before and now - before
  if passed and passed >= TOKENS and passed <= now % MINUTE then
    return now, before
  end
  before = math.max(before or 0, now)
  local last = before + TOKENS
  redis.call('SET', key, last, 'PX', 2 * COMPANION_TTL + math.ceil((last - now) / 1000))
  return last, before
end
