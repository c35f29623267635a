-- Transfers a held lock to a successor of the same instance.
-- A recallable successor gets new tokens each time, also for itself: its instance retains the lock, and enters without commands.
-- ARGV[1] owner token, ARGV[2] successor's owner token, ARGV[3] lease in milliseconds
-- result {1, first token, last token, others waiting, microseconds} or {0, remaining milliseconds, last reserved token or 0}
-- invariant: the lock passes from that owner to that successor without ever being free; a repeated call returns the same grant, or later
-- tokens to a recallable successor.

-- include tokens
-- include answers
-- include inboxes

local now = clock()
local owner, successor, lease = ARGV[1], ARGV[2], ARGV[3]
local retains = inbox_of(successor)
local holder = redis.call('GET', KEYS[1])
if holder ~= owner and holder ~= successor then
  return refused(redis.call('PTTL', KEYS[1]))
end
if holder == successor then
  local last = held(lease, now)
  if not retains then
    return granted(now, last)
  end
else
  -- First: otherwise, a full server refuses SET
  redis.call('PEXPIRE', KEYS[1], lease)
  redis.call('SET', KEYS[1], successor, 'PX', lease)
end
local last, before = reserve(now)
if retains then
  -- Tokens up to REACH ahead of the clock last for at least 10 ms. An instance uses at most one token in a microsecond, so its used tokens
  -- are at most REACH ahead: less than any restart of a server takes.
  last = math.max(last, now + REACH)
  redis.call('SET', KEYS[2], last, 'PX', 2 * COMPANION_TTL + math.ceil((last - now) / 1000))
end
-- All tokens after the previous block, independent of its age: no other instance has had the lock since
return {1, before + 1, last, redis.call('EXISTS', KEYS[3]), now}
