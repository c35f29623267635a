-- Takes the lock if nobody holds it.
-- ARGV[1] owner token, ARGV[2] lease in milliseconds
-- result the last of the 32 tokens that were reserved, or -2 - remaining milliseconds (-1 without expiry)
-- invariant: the value and its expiry are set in one step; a holder's value is never touched.
-- A lone number, and functions defined no earlier than needed: either costs the server as much as a command.

if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
-- include tokens
  return reserve(clock())
end
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return -2 - redis.call('PTTL', KEYS[1])
end
-- include tokens
-- include answers
return held(ARGV[2], clock())
