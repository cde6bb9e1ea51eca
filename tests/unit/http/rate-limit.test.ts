import { describe, expect, test } from "vitest";
import type { Runtime } from "../../../lib/deps";
import type { KnownStaticKey } from "../../../lib/domain/static-keys";
import { AppError } from "../../../lib/errors";
import type { ResponseHeaders } from "../../../lib/http/message";
import { chooseBucket, countCall } from "../../../lib/http/rate-limit";
import type { RateDecision, RateLimiter } from "../../../lib/ports/rate-limiter";

const GET = { method: "GET", isProbe: false };
const NOW_MS = 1_790_000_000_250;

/** Creates a runtime with these limiters. */
function createRuntime(take: RateLimiter["take"], takeLocally = take): Runtime {
  const limiters = { limiter: { take }, localLimiter: { take: takeLocally } };
  return { ...limiters, deps: { clock: { now: () => NOW_MS } } } as unknown as Runtime;
}

async function callOnce(runtime: Runtime, key: KnownStaticKey | null = null) {
  const headers: ResponseHeaders = {};
  const error = await countCall(runtime, chooseBucket(GET, "1.2.3.4", key), headers).catch((thrown) => thrown);
  return { headers, error };
}

const allowedCall: RateDecision = { isAllowed: true, remaining: 59, resetMs: 60_000 };
const refusedCall: RateDecision = { isAllowed: false, remaining: 0, resetMs: 12_345 };

describe("countCall", () => {
  test("refuses a call as rate_limited with a Retry-After that is never too early", async () => {
    const { headers, error } = await callOnce(createRuntime(() => refusedCall));
    expect(error).toMatchObject({ code: "rate_limited", status: 429, details: { retryAfterSeconds: 13 } });
    expect(headers).toMatchObject({ "x-ratelimit-remaining": "0", ratelimit: '"default";r=0;t=13' });
    expect(Number(headers["x-ratelimit-reset"]) * 1000).toBeGreaterThanOrEqual(NOW_MS + refusedCall.resetMs);
  });

  test("uses the local limiter only while the shared limiter is unreachable", async () => {
    const failTake = () => Promise.reject(new AppError("upstream_unavailable"));
    const runtimes = [async () => refusedCall, failTake].map((take) => createRuntime(take, () => allowedCall));
    const outcomes = await Promise.all(runtimes.map((runtime) => callOnce(runtime)));
    expect(outcomes.map(({ error }) => error?.code)).toEqual(["rate_limited", undefined]);
  });

  test("rethrows a bug of the limiter instead of treating it as an outage", async () => {
    const limiterBug = new TypeError("bug");
    expect((await callOnce(createRuntime(() => Promise.reject(limiterBug)))).error).toBe(limiterBug);
  });
});

const SHOP_KEY = { name: "shop", id: "0123456789abcdef", callsPerMinute: 600 };

test("chooseBucket counts OPTIONS by address in a bucket of 300, with or without a key", () => {
  for (const key of [null, SHOP_KEY])
    expect(chooseBucket({ ...GET, method: "OPTIONS" }, "1.2.3.4", key)).toEqual({
      id: "options:1.2.3.4",
      name: "options",
      limit: 300,
    });
});
