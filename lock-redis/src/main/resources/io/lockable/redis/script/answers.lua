-- Common part of the scripts that answer in full. uses tokens

local function granted(last, now)
  return {1, last - TOKENS + 1, last, redis.call('EXISTS', KEYS[3]), now}
end

-- The last token of the same grant again, for an owner who holds the lock and asks twice; its lease is never shortened. A lease
-- may outlive the block that came with it, by a minute at the earliest: then there is a new one, stored as any other.
-- Always writes: replicas that acknowledge what this connection wrote have all that went before, whoever wrote that.
local function held(lease, now)
  redis.call('PEXPIRE', KEYS[1], math.max(redis.call('PTTL', KEYS[1]), tonumber(lease)))
  return tonumber(redis.call('GET', KEYS[2]) or reserve(now))
end

local function refused(now)
  return {0, redis.call('PTTL', KEYS[1]), now}
end
