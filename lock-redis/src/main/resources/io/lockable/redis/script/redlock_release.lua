-- Frees the lock on one master of several, if the owner holds it there.
-- KEYS[3] what became of the last acquisition here: 'taken number owner', 'settled number owner' or 'released call owner'
-- ARGV[1] owner token, ARGV[2] the number of the call, positive, ARGV[3] the number of the last question that it may undo
-- result the number of the call that has freed it: this one, or an earlier one a moment ago; 0 if the owner does not hold the lock
-- invariant: what another owner holds is never touched, nor what a later question of this owner has taken: a release that fails is sent
-- again, and on a lost connection an old one can arrive late.

local last, call, owner = redis.call('GET', KEYS[3]) or '', nil, nil
if redis.call('GET', KEYS[1]) == ARGV[1] then
  call, owner = string.match(last, '^%a+ (%d+) (.*)$')
  if owner == ARGV[1] and tonumber(call) > tonumber(ARGV[3]) then
    return 0
  end
  redis.call('SET', KEYS[3], 'released ' .. ARGV[2] .. ' ' .. ARGV[1], 'PX', 5000)
  redis.call('DEL', KEYS[1])
  return tonumber(ARGV[2])
end
call, owner = string.match(last, '^released (%d+) (.*)$')
return owner == ARGV[1] and tonumber(call) or 0
