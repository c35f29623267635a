-- Common part of the scripts that answer in full. uses tokens

local function granted(last, now)
  return {1, last - TOKENS + 1, last, redis.call('EXISTS', KEYS[3]), now}
end

-- The last token of the same grant again, for an owner who holds the lock and asks twice; its lease is never shortened. A
-- lease that was extended outlives the block that came with it: then there is a new one, stored as any other.
local function held(lease, now)
  if redis.call('PTTL', KEYS[1]) < tonumber(lease) then
    redis.call('PEXPIRE', KEYS[1], lease)
  end
  return tonumber(redis.call('GET', KEYS[2]) or reserve(lease, now))
end

local function refused(now)
  return {0, redis.call('PTTL', KEYS[1]), now}
end
