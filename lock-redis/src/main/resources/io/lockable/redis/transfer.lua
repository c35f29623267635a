-- Gives a held lock to a successor of the same instance.
-- uses tokens
-- ARGV[1] owner token, ARGV[2] successor's owner token, ARGV[3] lease in milliseconds
-- result {1, first token, last token, others waiting, microseconds} or {0, remaining milliseconds, microseconds}
-- invariant: the lock passes from that owner to that successor without ever being free; repeating gives the same grant.

local now = clock()
local holder = redis.call('GET', KEYS[1])
if holder == ARGV[2] then
  return held(ARGV[3], now)
end
if holder ~= ARGV[1] then
  return refused(now)
end
local first, last = next_tokens(now)
hold(ARGV[2], ARGV[3], last)
return {1, first, last, redis.call('EXISTS', KEYS[3]), now}
