import { expect, test } from "vitest";
import { createRateLimit } from "../../../app/_client/queries/limit";

test("reserves the last calls of a minute and allows polling again after the header expires", () => {
  const limit = createRateLimit();
  const answer = (remaining: number) => new Headers({ "x-ratelimit-remaining": String(remaining) });
  expect(limit.isNearlyUsedUp(1_000), "nothing is known yet").toBe(false);
  limit.recordHeaders(answer(40), 1_000);
  expect(limit.isNearlyUsedUp(1_000)).toBe(false);
  limit.recordHeaders(answer(3), 2_000);
  expect(limit.isNearlyUsedUp(10_000)).toBe(true);
  limit.recordHeaders(new Headers(), 3_000);
  expect(limit.isNearlyUsedUp(10_000), "an answer without a word on it changes nothing").toBe(true);
  expect(limit.isNearlyUsedUp(22_000)).toBe(false);
});

test("notifies listeners of the latest retry time", () => {
  const limit = createRateLimit();
  const heard: number[] = [];
  const end = limit.subscribe(() => heard.push(limit.getWaitingUntil()));
  limit.recordWait(9_000);
  limit.recordWait(5_000);
  end();
  limit.recordWait(20_000);
  expect(heard).toEqual([9_000, 9_000]);
});
