-- Keeps the lock, or the owner's share of it, locked without a holder: under another owner token, until the rest is over.
-- ARGV[1] owner token, ARGV[2] rest in milliseconds
-- result 1, or 0 if the owner does not hold the lock
-- invariant: afterwards, no command of the owner affects the lock; a repeated call never extends the rest; each answer of 1 includes a
-- write, so that replicas which acknowledge it have all earlier writes.

-- include tokens
-- include holders
local owner, kept, rest = ARGV[1], ARGV[1] .. ':kept', tonumber(ARGV[2])
local holder = redis.call('GET', KEYS[1])
if holder == kept then
  -- A resent acquisition may have queued the owner behind its own lock
  if redis.call('HDEL', KEYS[4], owner) == 1 then
    redis.call('LREM', KEYS[3], 1, owner)
  end
  redis.call('PEXPIRE', KEYS[1], math.min(redis.call('PTTL', KEYS[1]), rest))
  return 1
end
if holder == owner then
  -- First: otherwise, a full server refuses SET
  redis.call('PEXPIRE', KEYS[1], rest)
  redis.call('SET', KEYS[1], kept, 'PX', rest)
  return 1
end
if holder ~= SHARED then
  return 0
end
local now = clock()
count_holders(now)
if redis.call('ZSCORE', KEYS[5], kept) then
  redis.call('ZADD', KEYS[5], 'LT', millis(now) + rest, kept)
  show_shared()
  return 1
end
if not redis.call('ZSCORE', KEYS[5], owner) then
  return 0
end
redis.call('ZREM', KEYS[5], owner)
redis.call('HDEL', KEYS[6], owner)
redis.call('ZADD', KEYS[5], millis(now) + rest, kept)
show_shared()
return 1
