import { expect, test } from "vitest";
import { BREAKER_REST_MS, createBreaker } from "../../../../lib/clients/http/breaker";
import { AppError } from "../../../../lib/errors";

function createTestBreaker() {
  let nowMs = 1_790_000_000_000;
  let callCount = 0;
  const breaker = createBreaker("node 1", { now: () => nowMs });
  const runCall = (outcome: "answer" | "upstream_timeout" | "upstream_unavailable") =>
    breaker
      .run(async () => {
        callCount++;
        if (outcome !== "answer") throw new AppError(outcome);
        return outcome;
      })
      .catch((error: AppError) => error.code);
  return {
    breaker,
    runCall,
    getCallCount: () => callCount,
    advance: (ms: number) => {
      nowMs += ms;
    },
  };
}

test("the breaker refuses at once after a timeout, with Retry-After", async () => {
  const { breaker, runCall, getCallCount, advance } = createTestBreaker();
  expect(await runCall("upstream_timeout")).toBe("upstream_timeout");
  advance(BREAKER_REST_MS - 1_500);
  const refusal = await breaker.run(async () => "never").catch((error) => error);
  const details = { retryAfterSeconds: 2, cause: { message: "node 1 is not called after a timeout" } };
  expect(refusal).toMatchObject({ code: "upstream_unavailable", details });
  expect(getCallCount()).toBe(1);
});

test("the breaker does not stay open longer when the clock is set back", async () => {
  const { runCall, advance } = createTestBreaker();
  await runCall("upstream_timeout");
  advance(-3_600_000);
  expect(await runCall("answer")).toBe("answer");
});

test("the breaker lets one call through after its rest, and closes when that call is answered", async () => {
  const { breaker, runCall, advance } = createTestBreaker();
  await runCall("upstream_timeout");
  advance(BREAKER_REST_MS);
  let resolveProbe = (_answer: string) => {};
  const answer = new Promise<string>((resolve) => {
    resolveProbe = resolve;
  });
  const probe = breaker.run(() => answer);
  expect(await runCall("answer")).toBe("upstream_unavailable");
  resolveProbe("here");
  expect(await probe).toBe("here");
  expect(await runCall("answer")).toBe("answer");
});

test("the breaker opens again when the first call after its rest times out", async () => {
  const { runCall, advance, getCallCount } = createTestBreaker();
  await runCall("upstream_timeout");
  advance(BREAKER_REST_MS);
  expect(await runCall("upstream_timeout")).toBe("upstream_timeout");
  expect(await runCall("answer")).toBe("upstream_unavailable");
  expect(getCallCount()).toBe(2);
});

test("the breaker stays closed after a timeout during which another call was answered", async () => {
  const { breaker, runCall } = createTestBreaker();
  let rejectSlowCall = (_error: Error) => {};
  const failure = new Promise<never>((_resolve, reject) => {
    rejectSlowCall = reject;
  });
  const slowCall = breaker.run(() => failure);
  expect(await runCall("answer")).toBe("answer");
  rejectSlowCall(new AppError("upstream_timeout"));
  await expect(slowCall).rejects.toMatchObject({ code: "upstream_timeout" });
  expect(await runCall("upstream_unavailable")).toBe("upstream_unavailable");
  expect(await runCall("answer")).toBe("answer");
});
