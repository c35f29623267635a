-- Acquires the lock if it is free.
-- ARGV[1] owner token, ARGV[2] lease in milliseconds
-- result the last of the 32 reserved tokens, or a refusal
-- invariant: the value and its expiry are set in one step; a holder's value never changes.
-- A table as the answer, or functions defined in advance, would each cost the server as much as a command.

local lock = KEYS[1]
local free = redis.call('SET', lock, ARGV[1], 'NX', 'PX', ARGV[2])
if not free then
  local holder = redis.call('GET', lock)
  if holder ~= ARGV[1] then
-- include refusal
  end
end
-- include tokens
if free then
  return (reserve(clock()))
end
-- include answers
return held(ARGV[2], clock())
