import { expect, test } from "vitest";
import { BREAKER_REST_MS, createBreaker } from "../../../../lib/clients/http/breaker";
import { AppError } from "../../../../lib/errors";

function setup() {
  let now = 1_790_000_000_000;
  let callCount = 0;
  const breaker = createBreaker("node 1", { now: () => now });
  const call = (outcome: "answer" | "upstream_timeout" | "upstream_unavailable") =>
    breaker
      .run(async () => {
        callCount++;
        if (outcome !== "answer") throw new AppError(outcome);
        return outcome;
      })
      .catch((error: AppError) => error.code);
  return {
    breaker,
    call,
    getCallCount: () => callCount,
    advance: (ms: number) => {
      now += ms;
    },
  };
}

test("the breaker refuses at once after a timeout, with Retry-After", async () => {
  const { breaker, call, getCallCount, advance } = setup();
  expect(await call("upstream_timeout")).toBe("upstream_timeout");
  advance(BREAKER_REST_MS - 1_500);
  const refusal = await breaker.run(async () => "never").catch((error) => error);
  const details = { retryAfterSeconds: 2, cause: { message: "node 1 is not called after a timeout" } };
  expect(refusal).toMatchObject({ code: "upstream_unavailable", details });
  expect(getCallCount()).toBe(1);
});

test("the breaker does not stay open longer when the clock is set back", async () => {
  const { call, advance } = setup();
  await call("upstream_timeout");
  advance(-3_600_000);
  expect(await call("answer")).toBe("answer");
});

test("the breaker closes when the one caller after the rest gets an answer", async () => {
  const { breaker, call, advance } = setup();
  await call("upstream_timeout");
  advance(BREAKER_REST_MS);
  let resolveProbe = (_answer: string) => {};
  const answer = new Promise<string>((resolve) => {
    resolveProbe = resolve;
  });
  const probe = breaker.run(() => answer);
  expect(await call("answer")).toBe("upstream_unavailable");
  resolveProbe("here");
  expect(await probe).toBe("here");
  expect(await call("answer")).toBe("answer");
});

test("the breaker opens again when the caller after the rest times out", async () => {
  const { call, advance, getCallCount } = setup();
  await call("upstream_timeout");
  advance(BREAKER_REST_MS);
  expect(await call("upstream_timeout")).toBe("upstream_timeout");
  expect(await call("answer")).toBe("upstream_unavailable");
  expect(getCallCount()).toBe(2);
});

test("stays closed after a timeout during which another call was answered", async () => {
  const { breaker, call } = setup();
  let rejectSlowCall = (_error: Error) => {};
  const failure = new Promise<never>((_resolve, reject) => {
    rejectSlowCall = reject;
  });
  const slowCall = breaker.run(() => failure);
  expect(await call("answer")).toBe("answer");
  rejectSlowCall(new AppError("upstream_timeout"));
  await expect(slowCall).rejects.toMatchObject({ code: "upstream_timeout" });
  expect(await call("upstream_unavailable")).toBe("upstream_unavailable");
  expect(await call("answer")).toBe("answer");
});
