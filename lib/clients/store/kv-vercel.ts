import { createClient, type VercelKV } from "@vercel/kv";
import { z } from "zod";
import { AppError, type ErrorCode, UpstreamFault } from "../../errors";
import type { Json } from "../../ports/json";
import type { KvStore } from "../../ports/kv-store";
import type { Breaker } from "../http/breaker";
import { timeLimitSignal } from "../http/time-limit";
import { checkKey, checkStep, checkTtl, encodeJson } from "./kv-rules";

/** Replies with an error when the counter leaves the range that JSON carries exactly, and restores the counter. */
const INCREMENT = `
local fresh = redis.call('EXISTS', KEYS[1]) == 0
local value = redis.call('INCRBY', KEYS[1], ARGV[1])
if value > ${Number.MAX_SAFE_INTEGER} or value < ${Number.MIN_SAFE_INTEGER} then
  redis.call('DECRBY', KEYS[1], ARGV[1])
  return redis.error_reply('counter out of range')
end
if fresh and ARGV[2] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return value`;

const REPLACE = `
if (redis.call('GET', KEYS[1]) or 'null') ~= ARGV[1] then return 0 end
if ARGV[2] == 'null' then redis.call('DEL', KEYS[1])
elseif ARGV[3] then redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
else redis.call('SET', KEYS[1], ARGV[2]) end
return 1`;

const Text = z.string().nullable();
const Texts = z.array(Text);

export interface VercelStoreOptions {
  /** `KV_REST_API_URL`: the URL of a store with the Upstash REST protocol. */
  url: string;
  /** `KV_REST_API_TOKEN`. */
  token: string;
  /** Time limit of one request, ms. A read that never reached the store is tried once more. */
  timeoutMs: number;
  /** Shared by all users of this store. Absent: calls wait for a hanging store every time. */
  breaker?: Breaker;
}

/** Makes a request to the shared store. `answer` checks the reply. A request of kind `read` may be repeated. */
export type AskStore = <T>(
  answer: z.ZodType<T>,
  request: (client: VercelKV) => Promise<unknown>,
  kind?: "read" | "write",
) => Promise<T>;

/**
 * Opens the shared store, over HTTP. Values are stored as JSON text, and counters as digits, which are JSON too.
 * Writes are never retried: after upstream_timeout or upstream_unavailable a write may or may not have happened.
 */
export function openVercelStore(options: VercelStoreOptions): KvStore {
  const ask = askVercelStore(options);
  const px = (ttlMs: number | undefined) => (ttlMs === undefined ? {} : { px: ttlMs });
  return {
    async get<T extends Json>(key: string) {
      checkKey(key);
      return decode<T>(await ask(Text, (client) => client.get(key), "read"));
    },
    async getMany<T extends Json>(keys: string[]) {
      for (const key of keys) checkKey(key);
      if (keys.length === 0) return [];
      const texts = await ask(Texts.length(keys.length), (client) => client.mget(keys), "read");
      return texts.map((text) => decode<T>(text));
    },
    async set(key, value, ttlMs) {
      checkKey(key);
      checkTtl(ttlMs);
      const json = encodeJson(value);
      // Both shapes are valid for one call, but the client's types allow each option only alone.
      await ask(z.literal("OK"), (client) => client.set(key, json, px(ttlMs) as { px: number }));
    },
    async setIfAbsent(key, value, ttlMs) {
      checkKey(key);
      checkTtl(ttlMs);
      const json = encodeJson(value);
      const ifAbsent = { nx: true, ...px(ttlMs) } as { nx: true; px: number };
      return (await ask(z.literal("OK").nullable(), (client) => client.set(key, json, ifAbsent))) === "OK";
    },
    async replace(key, expected, value, ttlMs) {
      checkKey(key);
      checkTtl(ttlMs);
      const args = [encodeJson(expected), encodeJson(value), ...(ttlMs === undefined ? [] : [String(ttlMs)])];
      return (await ask(z.number().int(), (client) => client.eval(REPLACE, [key], args))) === 1;
    },
    async delete(key) {
      checkKey(key);
      return (await ask(z.number().int(), (client) => client.del(key))) > 0;
    },
    async increment(key, by, ttlMs) {
      checkKey(key);
      checkStep(by);
      checkTtl(ttlMs);
      const args = ttlMs === undefined ? [String(by)] : [String(by), String(ttlMs)];
      return ask(z.number().int(), (client) => client.eval(INCREMENT, [key], args));
    },
    async ping() {
      await ask(z.literal("OK"), (client) => client.set("probe", "true"));
    },
    async close() {},
  };
}

/**
 * Returns a function that makes requests to the store. Every failure is an AppError without any text from the store:
 * upstream_timeout, upstream_unavailable (not reached, or the breaker is open) or upstream_invalid (an error reply or
 * an unusable answer).
 */
export function askVercelStore({ url, token, timeoutMs, breaker }: VercelStoreOptions): AskStore {
  const client = createClient({
    url,
    token,
    // With deserialization on, the string "123" would come back as a number and "null" as null.
    automaticDeserialization: false,
    // Stored values are JSON text, which is valid UTF-8.
    responseEncoding: false,
    enableAutoPipelining: false,
    enableTelemetry: false,
    cache: "no-store",
    // `false` would still try twice. An increment that is repeated after a lost answer counts double.
    retry: { retries: 0 },
    signal: () => timeLimitSignal(timeoutMs),
  });

  return async (answer, request, kind = "write") => {
    const once = () => request(client).catch((cause) => Promise.reject(toFailure(cause)));
    const attempt = () => (breaker ? breaker.run(once) : once());
    let result = attempt();
    if (kind === "read") {
      result = result.catch((failure: AppError) => {
        // An idle connection that the store has just closed fails once, immediately.
        if (failure.code === "upstream_unavailable" && !breaker?.isOpen()) return attempt();
        throw failure;
      });
    }
    const checked = answer.safeParse(await result);
    if (!checked.success) throw createShapeError();
    return checked.data;
  };
}

function toFailure(cause: unknown): AppError {
  const name = (cause as Error | null)?.name;
  // fetch reports a failed connection as a TypeError with a cause. Other errors concern the answer.
  const network = name === "TypeError" ? ((cause as Error).cause as NodeJS.ErrnoException | undefined) : undefined;
  let code: ErrorCode = "upstream_invalid";
  if (name === "TimeoutError" || name === "AbortError") code = "upstream_timeout";
  else if (network) code = "upstream_unavailable";
  // The client's messages quote the command with its values, so only the kind of error is logged.
  return new AppError(code, { cause: new UpstreamFault("store", network?.code ?? name ?? "failed") });
}

const createShapeError = () =>
  new AppError("upstream_invalid", { cause: new UpstreamFault("store", "returned an unexpected answer") });

function decode<T extends Json>(text: string | null): T | null {
  if (text === null) return null;
  try {
    return JSON.parse(text) as T;
  } catch {
    throw createShapeError();
  }
}
