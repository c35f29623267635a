-- Takes the lock if nobody holds it.
-- uses tokens
-- ARGV[1] owner token, ARGV[2] lease in milliseconds
-- result {1, first token, last token, others waiting, microseconds} or {0, remaining milliseconds, microseconds}
-- invariant: the value and its expiry are set in one step; a holder's value is never touched.

local now = clock()
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  local first, last = next_tokens(now)
  redis.call('SET', KEYS[2], text(last), 'PX', ARGV[2] + COMPANION_TTL)
  return {1, first, last, 0, now}
end
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return held(ARGV[2], now)
end
return refused(now)
