-- Common part of the scripts that answer in one number: the answer for a 'lock' that another 'holder' has.
-- -2 - remaining milliseconds (-1 without expiry); a recallable holder, whose owner token ends with an address, subtracts 2^50 ('recall').

local refused = -2 - redis.call('PTTL', lock)
return string.sub(holder, -17, -17) == '@' and refused - 1125899906842624 or refused
