-- Common part of the scripts that answer in full. uses tokens

-- Gives all tokens of a block, or its last 32 without a last token before it.
local function granted(now, last, before)
  local first = before and math.max(before, now - REACH) + 1 or last - TOKENS + 1
  return {1, first, last, redis.call('EXISTS', KEYS[3]), now}
end

-- The last token of the same grant again, for an owner who holds the lock and asks twice; its lease is never shortened. The first token
-- is stored nowhere, so the answer gives the last 32 of the block, all of which the first answer gave too. A lease may outlive the block
-- that came with it, by a minute at the earliest: then there is a new one, stored as any other.
-- Always writes: replicas that acknowledge what this connection wrote have all that went before, whoever wrote that.
local function held(lease, now)
  redis.call('PEXPIRE', KEYS[1], math.max(redis.call('PTTL', KEYS[1]), tonumber(lease)))
  return token(redis.call('GET', KEYS[2])) or reserve(now)
end

-- 'recalled' is 1 if the holder was asked for the lock.
local function refused(now, recalled)
  return {0, redis.call('PTTL', KEYS[1]), now, recalled}
end
