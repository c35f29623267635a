-- Looks up a lock. A script, so that a replica never answers it.
-- KEYS[1] the lock; for its waiters and holders also KEYS[2] its queue, KEYS[3] its holders
-- result {1 if it is held else 0, 1 if it is shared else 0}, and with all keys the number of waiters and the holders
-- holder: its remaining milliseconds (-1 without expiry), the length of its owner token in bytes, and each byte:
-- clients need to read only numbers
-- invariant: nothing is written, and no value is read that is too long for an owner: KEYS[1] may be any text, and may be huge.

local too_long = redis.call('STRLEN', KEYS[1]) > 512
local holder = not too_long and redis.call('GET', KEYS[1])
local shared = holder == 'lockable:shared'
local result = {(holder or too_long) and 1 or 0, shared and 1 or 0}
if #KEYS == 1 then
  return result
end
if too_long then
  return redis.error_reply('ERR a value of more than 512 bytes is no owner of a lock')
end
result[3] = redis.call('LLEN', KEYS[2])

local function add(owner, remaining)
  result[#result + 1] = remaining
  result[#result + 1] = #owner
  for i = 1, #owner do
    result[#result + 1] = string.byte(owner, i)
  end
end

if shared then
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local holders = redis.call('ZRANGEBYSCORE', KEYS[3], '(' .. string.format('%.0f', now), '+inf', 'WITHSCORES')
  for i = 1, #holders, 2 do
    add(holders[i], holders[i + 1] - now)
  end
elseif holder then
  add(holder, redis.call('PTTL', KEYS[1]))
end
return result
