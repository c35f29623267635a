-- Gives a held lock to a successor of the same instance.
-- ARGV[1] owner token, ARGV[2] successor's owner token, ARGV[3] lease in milliseconds
-- result {1, first token, last token, others waiting, microseconds} or {0, remaining milliseconds, microseconds}
-- invariant: the lock passes from that owner to that successor without ever being free; repeating gives the same grant.

-- include tokens
-- include answers
local now = clock()
local holder = redis.call('GET', KEYS[1])
if holder == ARGV[2] then
  return granted(held(ARGV[3], now), now)
end
if holder ~= ARGV[1] then
  return refused(now)
end
-- First, as a full server refuses SET before it
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return granted(reserve(now), now)
