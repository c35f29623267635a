-- Common part of the scripts that answer in full. uses tokens

-- Grants all tokens of a block, or its last 32 without the last token before it.
local function granted(now, last, before)
  local first = before and math.max(before, now - REACH) + 1 or last - TOKENS + 1
  return {1, first, last, redis.call('EXISTS', KEYS[3]), now}
end

-- Returns the last token of the same grant again, for an owner that holds the lock and repeats its request; its lease is never shortened.
-- The first token is not stored, so the answer grants the last 32 of the block, all of which the first answer also granted.
-- A lease may outlive its block, by a minute at the earliest: then a new block is reserved and stored.
-- Always writes: replicas that acknowledge the writes of this connection have all earlier writes, those of other connections included.
local function held(lease, now)
  redis.call('PEXPIRE', KEYS[1], math.max(redis.call('PTTL', KEYS[1]), tonumber(lease)))
  return token(redis.call('GET', KEYS[2])) or reserve(now)
end

-- Refuses with the last reserved token, or 0 without one: all tokens of a later grant are greater, also if the clock is set back.
-- By this order, the client knows that a message is newer than this answer.
-- 'recalled' is 1 if the lock was recalled from its holder. Its message is sent already, so a foreign KEYS[2] must not raise an error.
local function refused(remaining, recalled)
  return {0, remaining, token(redis.pcall('GET', KEYS[2])) or 0, recalled}
end
