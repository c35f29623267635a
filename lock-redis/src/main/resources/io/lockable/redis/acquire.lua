-- Takes the lock if nobody holds it.
-- ARGV[1] owner token, ARGV[2] lease in milliseconds
-- result the last of the 32 tokens that were reserved, or -2 - remaining milliseconds (-1 without expiry)
-- invariant: the value and its expiry are set in one step; a holder's value is never touched.
-- A lone number, and functions defined no earlier than needed: either costs the server as much as a command. So 'clock' and 'reserve' of
-- 'tokens' are written out here, with its TOKENS and MINUTE.

local call = redis.call
if call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  local time = call('TIME')
  local now = time[1] * 1000000 + time[2]
  local before = call('SET', KEYS[2], now, 'KEEPTTL', 'GET')
  local passed = before and now - before
  if passed and passed >= 32 and passed <= now % 60000000 then
    return now
  end
-- include tokens
  return reserve_after(before, now, KEYS[2])
end
if call('GET', KEYS[1]) ~= ARGV[1] then
  return -2 - call('PTTL', KEYS[1])
end
-- include tokens
-- include answers
return held(ARGV[2], clock())
