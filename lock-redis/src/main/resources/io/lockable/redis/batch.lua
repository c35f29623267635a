-- Takes and gives back several locks, each for itself: what was asked for at the same moment.
-- KEYS for each two: the lock, and its last token to take it or its queue to give it back
-- ARGV for each two: owner token, and lease in milliseconds to take it or nothing to give it back
-- result for each what 'acquire' or 'release' answers, or ALONE where it takes that script to answer
-- invariant: what one cannot have keeps no other from its own; where the answer is ALONE, that script still does all that it would have.

-- include tokens
local ALONE = -2 ^ 53
local now = nil

local function acquire(lock, counter, owner, lease)
  if redis.call('SET', lock, owner, 'NX', 'PX', lease) then
    now = now or clock()
    return reserve(now, counter)
  end
  if redis.call('GET', lock) ~= owner then
    return -2 - redis.call('PTTL', lock)
  end
  return ALONE
end

local function release(lock, queue, owner)
  local holder = redis.call('GET', lock)
  if holder ~= owner then
    return holder == 'lockable:shared' and ALONE or 0
  end
  if redis.call('EXISTS', queue) == 0 then
    return redis.call('DEL', lock)
  end
  return ALONE
end

local answers = {}
for i = 1, #KEYS, 2 do
  local serve = ARGV[i + 1] ~= '' and acquire or release
  local served, answer = pcall(serve, KEYS[i], KEYS[i + 1], ARGV[i], ARGV[i + 1])
  answers[#answers + 1] = served and answer or ALONE
end
return answers
