-- Passes the owner's lock, or its share, to the next waiter, or frees it.
-- ARGV[1] owner token, ARGV[2] waiter timeout in milliseconds
-- result 1, or 0 if the owner does not hold the lock
-- invariant: a lock of another owner never changes.
-- A table as the answer, or functions defined in advance, would each cost the server as much as a command.

local holder = redis.call('GET', KEYS[1])
if holder == ARGV[1] then
  if redis.call('EXISTS', KEYS[3]) == 0 then
    return redis.call('DEL', KEYS[1])
  end
elseif holder ~= 'lockable:shared' then
  return 0
end
-- include tokens
-- include holders
-- include inboxes
-- include grant
if holder == SHARED then
  return leave_holders(ARGV[1], clock())
end
return pass_on(clock())
