-- Common part of the scripts that grant a lock. All scripts of one lock have the same KEYS:
--   KEYS[1] the lock: a string, the owner token, that expires with the lease
--   KEYS[2] the last reserved fencing token; outlives it by at least a minute, after which the clock alone is enough
--   KEYS[3] the queue: a list of owner tokens, next first
--   KEYS[4] the waiters: a hash, from owner token to 'inbox lease microseconds permits', with the time of its last request
-- The server's clock alone decides. Tokens only grow: a block ends at the clock in microseconds, or 32 tokens after the previous block.
-- A block that ends at the clock starts after the previous block, and at most REACH tokens before the clock.
-- The reason is a server that lost its last writes in a restart or failover, and has an older last token than its clients.
-- Its blocks still follow theirs, because it was away for longer than twice REACH: tokens are used up to REACH ahead of the clock
-- ('transfer').
-- A last token ahead of a clock that was set back is kept until the clock has passed it.

local COMPANION_TTL = 60000
local MINUTE = 60000000
local TOKENS = 32
local REACH = 10000

-- The clock in microseconds, a number: 'redis.call' writes all 16 digits, Lua's own '..' does not.
local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

-- Returns a stored token, or nil. Other clients may have stored any value; a number beyond 2^53 is not a token.
local function token(stored)
  local number = tonumber(stored)
  return number and number > 0 and number < 9007199254740992 and math.floor(number) or nil
end

-- Reserves at least 32 tokens after all earlier blocks of the key, by default KEYS[2]. Returns the last one, and one before the first.
-- Full answers and messages grant all tokens in between, within REACH; a single number grants the last 32.
-- The first block of each minute of the clock sets the expiry to two minutes. Others leave it unchanged, which costs the server less.
-- An expired last token may be that of this very microsecond, so the block then starts after the clock.
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
