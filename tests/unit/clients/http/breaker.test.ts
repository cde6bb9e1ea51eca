import { expect, test } from "vitest";
import { BREAKER_REST_MS, createBreaker } from "../../../../lib/clients/http/breaker";
import { AppError } from "../../../../lib/errors";

function rig() {
  let now = 1_790_000_000_000;
  let requestCount = 0;
  const breaker = createBreaker("node 1", { now: () => now });
  const ask = (outcome: "answer" | "upstream_timeout" | "upstream_unavailable") =>
    breaker
      .run(async () => {
        requestCount++;
        if (outcome !== "answer") throw new AppError(outcome);
        return outcome;
      })
      .catch((error: AppError) => error.code);
  return {
    breaker,
    ask,
    requestCount: () => requestCount,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test("refuses at once after a timeout, with Retry-After", async () => {
  const { breaker, ask, requestCount, pass } = rig();
  expect(await ask("upstream_timeout")).toBe("upstream_timeout");
  pass(BREAKER_REST_MS - 1_500);
  const refusal = await breaker.run(async () => "never").catch((error) => error);
  const details = { retryAfterSeconds: 2, cause: { message: "node 1 is not called after a timeout" } };
  expect(refusal).toMatchObject({ code: "upstream_unavailable", details });
  expect(requestCount()).toBe(1);
});

test("does not stay open longer when the clock is set back", async () => {
  const { ask, pass } = rig();
  await ask("upstream_timeout");
  pass(-3_600_000);
  expect(await ask("answer")).toBe("answer");
});

test("closes when the one caller after the rest gets an answer", async () => {
  const { breaker, ask, pass } = rig();
  await ask("upstream_timeout");
  pass(BREAKER_REST_MS);
  let answer = (_text: string) => {};
  const probe = breaker.run(
    () =>
      new Promise<string>((resolve) => {
        answer = resolve;
      }),
  );
  expect(await ask("answer")).toBe("upstream_unavailable");
  answer("here");
  expect(await probe).toBe("here");
  expect(await ask("answer")).toBe("answer");
});

test("opens again when the caller after the rest times out", async () => {
  const { ask, pass, requestCount } = rig();
  await ask("upstream_timeout");
  pass(BREAKER_REST_MS);
  expect(await ask("upstream_timeout")).toBe("upstream_timeout");
  expect(await ask("answer")).toBe("upstream_unavailable");
  expect(requestCount()).toBe(2);
});

test("opens only after a timeout without any other answer", async () => {
  const { breaker, ask } = rig();
  let fail = (_error: Error) => {};
  const lost = breaker.run(
    () =>
      new Promise<never>((_resolve, reject) => {
        fail = reject;
      }),
  );
  expect(await ask("answer")).toBe("answer");
  fail(new AppError("upstream_timeout"));
  await expect(lost).rejects.toMatchObject({ code: "upstream_timeout" });
  expect(await ask("upstream_unavailable")).toBe("upstream_unavailable");
  expect(await ask("answer")).toBe("answer");
});
