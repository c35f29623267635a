-- Executes several independent acquisitions and releases that were requested at the same time, on a single server.
-- KEYS for each those of 'acquire' (two) or of 'release' (six)
-- ARGV for each two: owner token; lease in milliseconds to acquire, or minus the waiter timeout in milliseconds to release
-- result for each the answer of 'acquire' or 'release', or FAILED if that script alone is to report the error
-- invariant: none waits for another, and an error of one does not affect the others.

-- include tokens
local FAILED = -9007199254740992
local now = nil

-- The rest of 'acquire', for the keys and arguments of one lock.
local function ask_again(KEYS, ARGV)
-- include tokens
-- include answers
  return held(ARGV[2], clock())
end

-- The rest of 'release'.
local function serve_others(KEYS, ARGV)
-- include tokens
-- include holders
-- include inboxes
-- include grant
  if redis.call('GET', KEYS[1]) == SHARED then
    return leave_holders(ARGV[1], clock())
  end
  return pass_on(clock())
end

local function acquire(at, owner, lease)
  local lock = KEYS[at]
  if redis.call('SET', lock, owner, 'NX', 'PX', lease) then
    now = now or clock()
    return reserve(now, KEYS[at + 1])
  end
  local holder = redis.call('GET', lock)
  if holder ~= owner then
    local refused = -2 - redis.call('PTTL', lock)
    return string.sub(holder, -17, -17) == '@' and refused - 1125899906842624 or refused
  end
  return ask_again({lock, KEYS[at + 1]}, {owner, lease})
end

local function release(at, owner, timeout)
  local lock = KEYS[at]
  local holder = redis.call('GET', lock)
  if holder ~= owner and holder ~= 'lockable:shared' then
    return 0
  end
  if holder == owner and redis.call('EXISTS', KEYS[at + 2]) == 0 then
    return redis.call('DEL', lock)
  end
  return serve_others({(table.unpack or unpack)(KEYS, at, at + 5)}, {owner, timeout})
end

local answers = {}
local at = 1
for i = 1, #ARGV, 2 do
  local owner, lease = ARGV[i], ARGV[i + 1]
  local done, answer
  if tonumber(lease) > 0 then
    done, answer = pcall(acquire, at, owner, lease)
    at = at + 2
  else
    done, answer = pcall(release, at, owner, string.sub(lease, 2))
    at = at + 6
  end
  answers[#answers + 1] = done and answer or FAILED
end
return answers
