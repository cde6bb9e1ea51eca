import { describe, expect, test } from "vitest";
import type { Runtime } from "../../../lib/deps";
import { AppError } from "../../../lib/errors";
import type { ResponseHeaders } from "../../../lib/http/message";
import { chooseBucket, countCall } from "../../../lib/http/rate-limit";
import type { RateDecision, RateLimiter } from "../../../lib/ports/rate-limiter";

const NOW = 1_790_000_000_250;

/** Creates a runtime with the given limiters. */
function createRuntime(limiter: RateLimiter["take"], localLimiter: RateLimiter["take"] = limiter): Runtime {
  const runtime = {
    limiter: { take: limiter },
    localLimiter: { take: localLimiter },
    deps: { clock: { now: () => NOW } },
  };
  return runtime as unknown as Runtime;
}

async function callOnce(runtime: Runtime): Promise<{ headers: ResponseHeaders; error: unknown }> {
  const headers: ResponseHeaders = {};
  const error = await countCall(runtime, chooseBucket("GET", "1.2.3.4", null), headers).catch((thrown) => thrown);
  return { headers, error };
}

const allowedCall: RateDecision = { isAllowed: true, remaining: 59, resetMs: 60_000 };
const refusedCall: RateDecision = { isAllowed: false, remaining: 0, resetMs: 12_345 };

describe("countCall", () => {
  test("sets the remaining calls and the reset time in the headers", async () => {
    const { headers, error } = await callOnce(createRuntime(() => allowedCall));
    expect(error).toBeUndefined();
    expect(headers).toEqual({
      "x-ratelimit-limit": "60",
      "x-ratelimit-remaining": "59",
      "x-ratelimit-reset": "1790000061",
      ratelimit: '"default";r=59;t=60',
      "ratelimit-policy": '"default";q=60;w=60',
    });
  });

  test("refuses a call as rate_limited with a Retry-After that is never too early", async () => {
    const { headers, error } = await callOnce(createRuntime(() => refusedCall));
    expect(error).toMatchObject({ code: "rate_limited", status: 429, details: { retryAfterSeconds: 13 } });
    expect(headers).toMatchObject({ "x-ratelimit-remaining": "0", ratelimit: '"default";r=0;t=13' });
    expect(Number(headers["x-ratelimit-reset"]) * 1000).toBeGreaterThanOrEqual(NOW + refusedCall.resetMs);
  });

  test("reports at least one second when the window opens in less", async () => {
    const { error } = await callOnce(createRuntime(() => ({ ...refusedCall, resetMs: 1 })));
    expect(error).toMatchObject({ details: { retryAfterSeconds: 1 } });
  });

  test("uses the decision of a shared limiter", async () => {
    const runtime = createRuntime(
      async () => refusedCall,
      () => allowedCall,
    );
    expect((await callOnce(runtime)).error).toMatchObject({ code: "rate_limited" });
  });

  test("counts and refuses in this process while the shared limiter is unreachable", async () => {
    const unreachable = async () => Promise.reject(new AppError("upstream_unavailable"));
    expect(await callOnce(createRuntime(unreachable, () => allowedCall))).toMatchObject({
      error: undefined,
      headers: { "x-ratelimit-remaining": "59" },
    });
    const { error } = await callOnce(createRuntime(unreachable, () => refusedCall));
    expect(error).toMatchObject({ code: "rate_limited" });
  });

  test("rethrows a bug of the limiter instead of treating it as an outage", async () => {
    const bug = new TypeError("bug");
    const runtime = createRuntime(
      () => Promise.reject(bug),
      () => allowedCall,
    );
    const { error } = await callOnce(runtime);
    expect(error).toBe(bug);
  });
});

describe("chooseBucket", () => {
  const shop = { name: "shop", id: "0123456789abcdef", callsPerMinute: 600 };

  test("counts by address without a static key or with a key that has no limit", () => {
    const byAddress = { id: "1.2.3.4", name: "default", limit: 60 };
    expect(chooseBucket("GET", "1.2.3.4", null)).toEqual(byAddress);
    expect(chooseBucket("POST", "1.2.3.4", { name: "shop", id: shop.id })).toEqual(byAddress);
  });

  test("counts a key with its own limit by key and limit, from any address", () => {
    const byKey = { id: "key:0123456789abcdef:600", name: "key:shop", limit: 600 };
    expect(chooseBucket("GET", "1.2.3.4", shop)).toEqual(byKey);
    expect(chooseBucket("GET", "5.6.7.8", shop)).toEqual(byKey);
    expect(chooseBucket("GET", "5.6.7.8", { ...shop, callsPerMinute: 60 }).id).not.toBe(byKey.id);
  });

  test("counts OPTIONS by address in a bucket of 300, with or without a key", () => {
    for (const key of [null, shop])
      expect(chooseBucket("OPTIONS", "1.2.3.4", key)).toEqual({ id: "options:1.2.3.4", name: "options", limit: 300 });
  });

  test("returns a bucket that the headers and the refusal name with its limit", async () => {
    const headers: ResponseHeaders = {};
    const error = await countCall(
      createRuntime(() => refusedCall),
      chooseBucket("GET", "1.2.3.4", shop),
      headers,
    ).catch((thrown) => thrown);
    expect(headers).toMatchObject({ "x-ratelimit-limit": "600", "ratelimit-policy": '"key:shop";q=600;w=60' });
    expect(error.message).toContain('600 a minute are allowed in the bucket "key:shop"');
  });
});
