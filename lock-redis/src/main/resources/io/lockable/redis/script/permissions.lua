-- Runs each command of the other scripts, and reports the commands that the server denies to the user.
-- KEYS those of an unused lock; ARGV[1] a channel without listeners, then the names of the commands
-- result for each command 0 if it is permitted, 1 if it is not, 2 if one of its keys is not, 3 if its channel is not
-- invariant: nothing is left. Each command has a form without effect, except RPUSH: it runs only if its element can be removed.

local lock, queue, waiters, holders, channel = KEYS[1], KEYS[3], KEYS[4], KEYS[5], ARGV[1]
local arguments = {
  del = {lock, KEYS[2], KEYS[6]},
  exists = {lock},
  get = {lock},
  hdel = {waiters, 'none'},
  hget = {waiters, 'none'},
  hset = {waiters, 'a', 'field', 'without a value'},
  lindex = {queue, 0},
  llen = {queue},
  lpop = {queue},
  lrem = {queue, 1, 'none'},
  pexpire = {lock, 1},
  pexpireat = {holders, 1},
  pttl = {lock},
  publish = {channel, ''},
  ['pubsub|numsub'] = {channel},
  rpush = {queue, ''},
  set = {lock, '', 'XX', 'PX', 1},
  strlen = {lock},
  time = {},
  zadd = {holders, 'XX', 0, 'none'},
  zcard = {holders},
  zrange = {holders, 0, 0},
  zrangebyscore = {holders, 0, 0},
  zrem = {holders, 'none'},
  zscore = {holders, 'none'},
}

-- Redis up to 7.0 uses another text than later versions, and no server reports a denial by a code alone.
local function refusal(text)
  if not (string.find(text, 'NOPERM', 1, true) or string.find(text, 'ACL failure', 1, true)
    or string.find(text, 'The user executing the script can', 1, true)) then
    return 0
  end
  if string.find(text, 'run the ', 1, true) or string.find(text, 'run this command', 1, true) then
    return 1
  end
  return string.find(text, 'channel', 1, true) and 3 or 2
end

local function try(name)
  local command, subcommand = string.match(name, '^(%a+)|?(%a*)$')
  local all = {command, (table.unpack or unpack)(arguments[name])}
  if subcommand ~= '' then
    table.insert(all, 2, subcommand)
  end
  local reply = redis.pcall((table.unpack or unpack)(all))
  return type(reply) == 'table' and reply.err and refusal(reply.err) or 0
end

local function try_push()
  local removal = try('lpop') == 0 and 'lpop' or try('del') == 0 and 'del'
  if not removal then
    return 0
  end
  local result = try('rpush')
  redis.call(removal, queue)
  return result
end

local results = {}
for i = 2, #ARGV do
  if ARGV[i] == 'rpush' then
    results[#results + 1] = try_push()
  else
    results[#results + 1] = try(ARGV[i])
  end
end
return results
