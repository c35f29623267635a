-- Writes back the fencing token of an acquisition that a majority of the masters has granted.
-- KEYS[3] the state of the last acquisition here: 'taken number owner', 'settled number owner' or 'released call owner'
-- ARGV[1] owner token, ARGV[2] token, ARGV[3] lease in milliseconds
-- result 1, or 0 if the owner does not hold the lock here
-- invariant: each acquisition here after an answer of 1 reserves a greater token.
-- The token is therefore kept until this server's own clock has passed it, however far ahead it is; a greater token stays.

-- include tokens
local now = clock()
local last = math.max(tonumber(ARGV[2]), token(redis.call('GET', KEYS[2])) or 0)
local ahead = math.max(0, math.ceil((last - now) / 1000))
redis.call('SET', KEYS[2], last, 'PX', 2 * COMPANION_TTL + ahead)
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
local number, owner = string.match(redis.call('GET', KEYS[3]) or '', '^%a+ (%d+) (.*)$')
redis.call('SET', KEYS[3], 'settled ' .. (owner == ARGV[1] and number or 0) .. ' ' .. ARGV[1], 'PX', ARGV[3] + COMPANION_TTL)
return 1
