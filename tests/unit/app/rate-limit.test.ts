import { expect, test } from "vitest";
import { createRateLimit } from "../../../app/_client/queries/rate-limit";

test("the rate limit is nearly used up from a low header until the header expires", () => {
  const rateLimit = createRateLimit();
  const createHeaders = (remaining: number) => new Headers({ "x-ratelimit-remaining": String(remaining) });
  expect(rateLimit.isNearlyUsedUp(1_000), "no response has come yet").toBe(false);
  rateLimit.recordHeaders(createHeaders(40), 1_000);
  expect(rateLimit.isNearlyUsedUp(1_000)).toBe(false);
  rateLimit.recordHeaders(createHeaders(3), 2_000);
  expect(rateLimit.isNearlyUsedUp(10_000)).toBe(true);
  rateLimit.recordHeaders(new Headers(), 3_000);
  expect(rateLimit.isNearlyUsedUp(10_000), "a response without the header changes nothing").toBe(true);
  expect(rateLimit.isNearlyUsedUp(22_000)).toBe(false);
  expect([10_000, 22_000].map(rateLimit.getReadHoldMs), "a read waits until the header expires").toEqual([12_000, 0]);
});

test("the rate limit notifies listeners of the latest retry time", () => {
  const rateLimit = createRateLimit();
  const waits: unknown[] = [];
  const unsubscribe = rateLimit.subscribe(() => waits.push(rateLimit.getWaits()));
  rateLimit.recordWait(9_000, false);
  rateLimit.recordWait(5_000, true);
  unsubscribe();
  rateLimit.recordWait(20_000, true);
  expect(waits).toEqual([
    { anyUntil: 9_000, actionUntil: 0 },
    { anyUntil: 9_000, actionUntil: 5_000 },
  ]);
});
