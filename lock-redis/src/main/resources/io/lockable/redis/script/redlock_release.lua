-- Releases the lock on one of several masters, if the owner holds it there.
-- KEYS[3] the state of the last acquisition here, as in 'redlock_acquire'
-- ARGV[1] owner token, ARGV[2] the number of the call, or 0 if it undoes a failed request
-- ARGV[3] the number of the last request that it may undo
-- result the number of the call that released it: this one, or an earlier one a moment ago; 0 if the owner does not hold it, or
-- a call with the number 0 has released it
-- invariant: a lock of another owner never changes, nor does a lock from a later request of this owner: a failed release is retried, and
-- an old one may arrive late on a lost connection. An extension that arrives a moment later does not restore the lock.

local last, call, owner = redis.call('GET', KEYS[3]) or '', nil, nil
local holder = redis.call('GET', KEYS[1])
if holder == ARGV[1] then
  call, owner = string.match(last, '^%a+ (%d+) (.*)$')
  if owner == ARGV[1] and tonumber(call) > tonumber(ARGV[3]) then
    return 0
  end
  -- First: otherwise, a full server refuses SET.
  redis.call('DEL', KEYS[1])
  redis.call('SET', KEYS[3], 'released ' .. ARGV[2] .. ' ' .. ARGV[1], 'PX', 5000)
  return tonumber(ARGV[2])
end
call, owner = string.match(last, '^released (%d+) (.*)$')
if owner == ARGV[1] then
  return tonumber(call)
end
if not holder then
  -- A full server refuses this SET, and the answer is the same.
  redis.pcall('SET', KEYS[3], 'released 0 ' .. ARGV[1], 'PX', 5000)
end
return 0
