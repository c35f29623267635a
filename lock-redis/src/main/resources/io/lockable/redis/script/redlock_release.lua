-- Frees the lock on one master of several, if the owner holds it there.
-- KEYS[3] what became of the last acquisition here: 'settled owner' or 'released call owner'
-- ARGV[1] owner token, ARGV[2] the number of the call, positive
-- result the number of the call that has freed it: this one, or an earlier one a moment ago; 0 if the owner does not hold the lock
-- invariant: what another owner holds is never touched.

if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('SET', KEYS[3], 'released ' .. ARGV[2] .. ' ' .. ARGV[1], 'PX', 5000)
  redis.call('DEL', KEYS[1])
  return tonumber(ARGV[2])
end
local call, owner = string.match(redis.call('GET', KEYS[3]) or '', '^released (%d+) (.*)$')
return owner == ARGV[1] and tonumber(call) or 0
