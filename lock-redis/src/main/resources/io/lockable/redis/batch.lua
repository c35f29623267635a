-- Does several acquisitions and releases, each for itself: what was asked for at the same moment, of a single server.
-- KEYS for each those of 'acquire' (two) or of 'release' (six)
-- ARGV for each two: owner token; lease in milliseconds to acquire, or nothing to release
-- result for each what 'acquire' or 'release' answers, or FAILED if that script by itself is to answer
-- invariant: none waits for another, and an error of one is no error of another: 'pcall' answers it as a table.
-- What is common is written out, as in 'acquire'.

local FAILED = -2 ^ 53
local call = redis.pcall
local now, digits = nil, nil

local answers = {}
local at = 1
for i = 1, #ARGV, 2 do
  local lock, owner, lease = KEYS[at], ARGV[i], ARGV[i + 1]
  local answer = FAILED
  if lease ~= '' then
    local taken = call('SET', lock, owner, 'NX', 'PX', lease)
    if taken and taken.ok then
      if not now then
        local time = call('TIME')
        now = time[1] * 1000000 + time[2]
        digits = #time[2] == 6 and time[1] .. time[2] or now
      end
      local before = call('SET', KEYS[at + 1], digits, 'KEEPTTL', 'GET')
      if type(before) ~= 'table' then
        before = tonumber(before)
        local passed = before and now - before
        if passed and passed >= 32 and passed <= now % 60000000 then
          answer = now
        else
-- include tokens
          answer = reserve_after(before, now, KEYS[at + 1])
        end
      end
    elseif not taken then
      local holder = call('GET', lock)
      if type(holder) == 'string' and holder ~= owner then
        answer = -2 - call('PTTL', lock)
      end
    end
    at = at + 2
  else
    local holder = call('GET', lock)
    if not holder or type(holder) == 'string' and holder ~= owner and holder ~= 'lockable:shared' then
      answer = 0
    elseif holder == owner and call('EXISTS', KEYS[at + 2]) == 0 then
      answer = call('DEL', lock)
    elseif type(holder) == 'string' then
      local function serve_others(KEYS, ARGV)
-- include tokens
-- include sharers
-- include grant
        return holder == SHARED and leave_sharers(ARGV[1], clock()) or pass_on(clock())
      end
      local done, served = pcall(serve_others, {unpack(KEYS, at, at + 5)}, {owner, '0'})
      answer = done and served or FAILED
    end
    at = at + 6
  end
  answers[#answers + 1] = answer
end
return answers
