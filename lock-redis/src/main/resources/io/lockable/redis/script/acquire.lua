-- Acquires the lock if it is free.
-- ARGV[1] owner token, ARGV[2] lease in milliseconds
-- result the last of the 32 reserved tokens, or -2 - remaining milliseconds (-1 without expiry); a recallable holder, whose owner token
-- ends with an address, subtracts 2^50 ('recall')
-- invariant: the value and its expiry are set in one step; a holder's value never changes.
-- A table as the answer, or functions defined in advance, would each cost the server as much as a command.

if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
-- include tokens
  return (reserve(clock()))
end
local holder = redis.call('GET', KEYS[1])
if holder ~= ARGV[1] then
  local refused = -2 - redis.call('PTTL', KEYS[1])
  return string.sub(holder, -17, -17) == '@' and refused - 1125899906842624 or refused
end
-- include tokens
-- include answers
return held(ARGV[2], clock())
