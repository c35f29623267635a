-- Common part of the scripts that write back the fencing token of a majority of the masters. uses tokens

-- Stores a token until this server's own clock has passed it, however far ahead it is; a greater token stays.
local function store_token(written, now)
  local last = math.max(written, token(redis.call('GET', KEYS[2])) or 0)
  local ahead = math.max(0, math.ceil((last - now) / 1000))
  redis.call('SET', KEYS[2], last, 'PX', 2 * COMPANION_TTL + ahead)
end
