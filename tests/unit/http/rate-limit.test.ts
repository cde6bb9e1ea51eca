import { describe, expect, test } from "vitest";
import type { Runtime } from "../../../lib/deps";
import { AppError } from "../../../lib/errors";
import type { ResponseHeaders } from "../../../lib/http/message";
import { takeCall } from "../../../lib/http/rate-limit";
import type { RateDecision, RateLimiter } from "../../../lib/ports/rate-limiter";

const NOW = 1_790_000_000_250;

/** A process whose limiter says what the test wants it to. */
function processWith(limiter: RateLimiter["take"], localLimiter: RateLimiter["take"] = limiter): Runtime {
  const runtime = {
    limiter: { take: limiter },
    localLimiter: { take: localLimiter },
    deps: { clock: { now: () => NOW } },
  };
  return runtime as unknown as Runtime;
}

async function headersOf(runtime: Runtime): Promise<{ headers: ResponseHeaders; error: unknown }> {
  const headers: ResponseHeaders = {};
  const error = await takeCall(runtime, "1.2.3.4", headers).catch((thrown) => thrown);
  return { headers, error };
}

const allowed: RateDecision = { allowed: true, remaining: 59, resetMs: 60_000 };
const refused: RateDecision = { allowed: false, remaining: 0, resetMs: 12_345 };

describe("takeCall", () => {
  test("an allowed call says what is left, and when the window opens again, in Unix seconds and in seconds from now", async () => {
    const { headers, error } = await headersOf(processWith(() => allowed));
    expect(error).toBeUndefined();
    expect(headers).toEqual({
      "x-ratelimit-limit": "60",
      "x-ratelimit-remaining": "59",
      "x-ratelimit-reset": "1790000061",
      ratelimit: '"default";r=59;t=60',
      "ratelimit-policy": '"default";q=60;w=60',
    });
  });

  test("a refused call is rate_limited, with the same headers and a Retry-After that is never too early", async () => {
    const { headers, error } = await headersOf(processWith(() => refused));
    expect(error).toMatchObject({ code: "rate_limited", status: 429, details: { retryAfterSeconds: 13 } });
    expect(headers).toMatchObject({ "x-ratelimit-remaining": "0", ratelimit: '"default";r=0;t=13' });
    expect(Number(headers["x-ratelimit-reset"]) * 1000).toBeGreaterThanOrEqual(NOW + refused.resetMs);
  });

  test("a window that opens within a second is said to open in one, never in none", async () => {
    const { error } = await headersOf(processWith(() => ({ ...refused, resetMs: 1 })));
    expect(error).toMatchObject({ details: { retryAfterSeconds: 1 } });
  });

  test("the address is the one it is given", async () => {
    const seen: string[] = [];
    await headersOf(
      processWith((address) => {
        seen.push(address);
        return allowed;
      }),
    );
    expect(seen).toEqual(["1.2.3.4"]);
  });

  test("a shared limiter's word counts", async () => {
    const runtime = processWith(
      async () => refused,
      () => allowed,
    );
    expect((await headersOf(runtime)).error).toMatchObject({ code: "rate_limited" });
  });

  test("a shared limiter that cannot be reached: this process counts by itself, and refuses by itself", async () => {
    const unreachable = async () => Promise.reject(new AppError("upstream_unavailable"));
    expect(await headersOf(processWith(unreachable, () => allowed))).toMatchObject({
      error: undefined,
      headers: { "x-ratelimit-remaining": "59" },
    });
    const { error } = await headersOf(processWith(unreachable, () => refused));
    expect(error).toMatchObject({ code: "rate_limited" });
  });

  test("a bug in the limiter is not taken for an outage", async () => {
    const bug = new TypeError("bug");
    const runtime = processWith(
      () => Promise.reject(bug),
      () => allowed,
    );
    const { error } = await headersOf(runtime);
    expect(error).toBe(bug);
  });
});
