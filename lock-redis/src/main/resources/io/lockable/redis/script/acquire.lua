-- Takes the lock if nobody holds it.
-- ARGV[1] owner token, ARGV[2] lease in milliseconds
-- result the last of the 32 tokens that were reserved, or -2 - remaining milliseconds (-1 without expiry); 2^50 less if the holder's owner
-- token ends with an address, as that of a holder who can be asked for the lock ('recall')
-- invariant: the value and its expiry are set in one step; a holder's value is never touched.
-- A lone number, and functions defined no earlier than needed: either costs the server as much as a command.

if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
-- include tokens
  return (reserve(clock()))
end
local holder = redis.call('GET', KEYS[1])
if holder ~= ARGV[1] then
  local refused = -2 - redis.call('PTTL', KEYS[1])
  return string.sub(holder, -17, -17) == '@' and refused - 2 ^ 50 or refused
end
-- include tokens
-- include answers
return held(ARGV[2], clock())
