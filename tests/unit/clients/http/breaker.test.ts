import { expect, test } from "vitest";
import { BREAKER_REST_MS, createBreaker } from "../../../../lib/clients/http/breaker";
import { AppError } from "../../../../lib/errors";
import { createManualClock } from "../../../support/fakes/manual-clock";

function createTestBreaker() {
  const clock = createManualClock();
  const breaker = createBreaker("node 1", clock);
  const runCall = (outcome: "answer" | "upstream_timeout" | "upstream_unavailable") =>
    breaker
      .run(async () => {
        if (outcome !== "answer") throw new AppError(outcome);
        return outcome;
      })
      .catch((error: AppError) => error.code);
  return { breaker, runCall, advance: clock.advance };
}

test("the breaker does not stay open longer when the clock is set back", async () => {
  const { runCall, advance } = createTestBreaker();
  await runCall("upstream_timeout");
  await advance(-3_600_000);
  expect(await runCall("answer")).toBe("answer");
});

test("the breaker lets one call through after its rest, and closes when that call is answered", async () => {
  const { breaker, runCall, advance } = createTestBreaker();
  await runCall("upstream_timeout");
  await advance(BREAKER_REST_MS);
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
