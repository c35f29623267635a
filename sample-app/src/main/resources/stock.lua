-- Reads the stock of an item, or sells one. KEYS[1]: hash of the item. ARGV[1]: fencing token, 0 for none. ARGV[2], for a sale: what is left.
-- Result: what is left, or -1 if the token is stale.
-- Invariant: no token below the largest seen reads or writes, and one token sells once, also if the client repeats the command.
local token = tonumber(ARGV[1])
if token > 0 then
	if token < tonumber(redis.call('HGET', KEYS[1], 'token') or '0') then
		redis.call('HINCRBY', KEYS[1], 'refused', 1)
		return -1
	end
	redis.call('HSET', KEYS[1], 'token', ARGV[1])
end
if ARGV[2] and (token == 0 or redis.call('HGET', KEYS[1], 'sale') ~= ARGV[1]) then
	redis.call('HSET', KEYS[1], 'left', ARGV[2], 'sale', ARGV[1])
	redis.call('HINCRBY', KEYS[1], 'sold', 1)
end
return tonumber(redis.call('HGET', KEYS[1], 'left') or '0')
