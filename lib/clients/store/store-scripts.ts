/*
 * The atomic steps of a shared store, as scripts that run in it. Each is given one key and text arguments, except where
 * it says otherwise. A step that writes nothing calls GETEX, which counts as a write: a server that has
 * become a replica refuses it, so no step is decided by a stale value. (A full server refuses only a script's first
 * write, so GETEX must not stand before another one.) Only readMember and listMembers may return a stale value.
 */

/** Writes ARGV[2] if the value is ARGV[1]; the text null stands for no entry. ARGV[3] is the time to live, ms. */
const replace = `
if (redis.call('GET', KEYS[1]) or 'null') ~= ARGV[1] then
  redis.call('GETEX', KEYS[1])
  return 0
end
if ARGV[2] == 'null' then redis.call('DEL', KEYS[1])
elseif ARGV[3] then redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
else redis.call('SET', KEYS[1], ARGV[2]) end
return 1`;

/**
 * Counts a call in a rolling window, on the store's clock. ARGV is the limit and the window, ms. The value holds the
 * times of the admitted calls, oldest first, 4 bytes each: milliseconds modulo 2^32, which is 49 days. An age above
 * half of that is negative, because the store's clock was set back. Such calls count as made now, so no address waits
 * longer than a window. A key expires when its last admitted call leaves the window.
 */
const takeCall = `
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local calls = redis.call('GET', KEYS[1]) or ''

local function age(position)
  local a, b, c, d = string.byte(calls, position * 4 - 3, position * 4)
  local ms = (now - (((a * 256 + b) * 256 + c) * 256 + d)) % 4294967296
  if ms >= 2147483648 then return ms - 4294967296 end
  return ms
end
local function pack(ms)
  return string.char(math.floor(ms / 16777216) % 256, math.floor(ms / 65536) % 256, math.floor(ms / 256) % 256, ms % 256)
end

local count, expired = #calls / 4, 0
while expired < count and age(expired + 1) >= window do expired = expired + 1 end
calls, count = string.sub(calls, expired * 4 + 1), count - expired
local past = count
while past > 0 and age(past) < 0 do past = past - 1 end
local stepped_back = past < count
if stepped_back then calls = string.sub(calls, 1, past * 4) .. string.rep(pack(now), count - past) end

local allowed = count < limit
if allowed then calls, count = calls .. pack(now), count + 1 end
if allowed or stepped_back then redis.call('SET', KEYS[1], calls, 'PX', window)
else redis.call('GETEX', KEYS[1]) end
return { allowed and 1 or 0, limit - count, window - age(1) }`;

/**
 * Reserves the next calls of a token bucket, on the store's clock. ARGV is the time in which their tokens are added, and
 * the time in which an empty bucket is full, both in ms. The value is when the last reserved call is due, ms since the
 * epoch. Replies in how many ms the last of these calls is due, possibly negative. A due time more than ten minutes ahead
 * means that the clock was set back.
 */
const reserveCalls = `
local needed, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local last = tonumber(redis.call('GET', KEYS[1]) or '0')
if last > now + 600000 then last = now end
local due = math.max(last, now - burst) + needed
redis.call('SET', KEYS[1], string.format('%.3f', due), 'PX', math.ceil(math.max(due - now, 0) + burst) + 1)
return math.ceil(due - now)`;

const getMany = `
local values = {}
for index, key in ipairs(KEYS) do values[index] = redis.call('GETEX', key) end
return values`;

const addMember = `return redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2])`;

const readMember = `return redis.call('HGET', KEYS[1], ARGV[1])`;

const listMembers = `return redis.call('HGETALL', KEYS[1])`;

const removeMember = `return redis.call('HDEL', KEYS[1], ARGV[1])`;

const set = `return redis.call('SET', KEYS[1], unpack(ARGV))`;

const remove = `return redis.call('DEL', KEYS[1])`;

const WRITE_SCRIPTS = { set, replace, remove, addMember, removeMember };

export type WriteScript = keyof typeof WRITE_SCRIPTS;

/**
 * Runs one write for each of KEYS, in order. For each, ARGV has the name of its script, the number of its arguments and
 * the arguments. A full server may refuse the first write, and then runs none; otherwise it runs all of them.
 */
const writeMany = `
local scripts = {}
${Object.entries(WRITE_SCRIPTS)
  .map(([name, script]) => `scripts.${name} = function(KEYS, ARGV)\n${script}\nend`)
  .join("\n")}
local replies, position = {}, 1
for index, key in ipairs(KEYS) do
  local last = position + 1 + tonumber(ARGV[position + 1])
  replies[index] = scripts[ARGV[position]]({ key }, { unpack(ARGV, position + 2, last) })
  position = last + 1
end
return replies`;

export const STORE_SCRIPTS = { takeCall, reserveCalls, readMember, listMembers, getMany, writeMany };
