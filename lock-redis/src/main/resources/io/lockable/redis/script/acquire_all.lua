-- Acquires several locks if all of them are free.
-- KEYS for each the lock and its last token; ARGV for each its owner token and its lease in milliseconds
-- result for each the last of the 32 reserved tokens; or, if another owner holds one of the locks, for each a refusal
-- as for acquire, or 0 if it is available; or FAILED for a lock that raises an error
-- invariant: all or none; a holder's value and expiry never change; each error of one lock is found before the first write.

-- include tokens
local FAILED = -9007199254740992

-- Returns the answer for a lock that is not free, or 0.
local function look(i)
  local lock = KEYS[i]
  local holder = redis.call('GET', lock)
  if holder and holder ~= ARGV[i] then
-- include refusal
  end
  redis.call('GET', KEYS[i + 1])
  return 0
end

local answers = {}
local free = true
for i = 1, #KEYS, 2 do
  local done, answer = pcall(look, i)
  answer = done and answer or FAILED
  free = free and answer == 0
  answers[#answers + 1] = answer
end
if not free then
  return answers
end
local now = clock()
for i = 1, #KEYS, 2 do
  local owner, lease = ARGV[i], ARGV[i + 1]
  local last = nil
  if not redis.call('SET', KEYS[i], owner, 'NX', 'PX', lease) then
    -- A repeated request of the same owner: the same grant, and a lease that is never shortened
    redis.call('PEXPIRE', KEYS[i], math.max(redis.call('PTTL', KEYS[i]), tonumber(lease)))
    last = token(redis.call('GET', KEYS[i + 1]))
  end
  answers[math.floor((i + 1) / 2)] = last or reserve(now, KEYS[i + 1])
end
return answers
