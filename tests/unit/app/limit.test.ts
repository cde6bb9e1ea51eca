import { expect, test } from "vitest";
import { createRateLimit } from "../../../app/_client/queries/limit";

test("is nearly used up from a low header until the header expires", () => {
  const limit = createRateLimit();
  const createHeaders = (remaining: number) => new Headers({ "x-ratelimit-remaining": String(remaining) });
  expect(limit.isNearlyUsedUp(1_000), "no response has come yet").toBe(false);
  limit.recordHeaders(createHeaders(40), 1_000);
  expect(limit.isNearlyUsedUp(1_000)).toBe(false);
  limit.recordHeaders(createHeaders(3), 2_000);
  expect(limit.isNearlyUsedUp(10_000)).toBe(true);
  limit.recordHeaders(new Headers(), 3_000);
  expect(limit.isNearlyUsedUp(10_000), "a response without the header changes nothing").toBe(true);
  expect(limit.isNearlyUsedUp(22_000)).toBe(false);
});

test("notifies listeners of the latest retry time", () => {
  const limit = createRateLimit();
  const retryTimes: number[] = [];
  const unsubscribe = limit.subscribe(() => retryTimes.push(limit.getWaitingUntil()));
  limit.recordWait(9_000);
  limit.recordWait(5_000);
  unsubscribe();
  limit.recordWait(20_000);
  expect(retryTimes).toEqual([9_000, 9_000]);
});
