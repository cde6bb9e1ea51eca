import { expect, test } from "vitest";
import { createLimit } from "../../../app/_client/queries/limit";

test("reserves the last calls of a minute and allows polling again after the header expires", () => {
  const limit = createLimit();
  const answer = (remaining: number) => new Headers({ "x-ratelimit-remaining": String(remaining) });
  expect(limit.isShort(1_000), "nothing is known yet").toBe(false);
  limit.note(answer(40), 1_000);
  expect(limit.isShort(1_000)).toBe(false);
  limit.note(answer(3), 2_000);
  expect(limit.isShort(10_000)).toBe(true);
  limit.note(new Headers(), 3_000);
  expect(limit.isShort(10_000), "an answer without a word on it changes nothing").toBe(true);
  expect(limit.isShort(22_000)).toBe(false);
});

test("notifies listeners of the latest retry time", () => {
  const limit = createLimit();
  const heard: number[] = [];
  const end = limit.subscribe(() => heard.push(limit.waitingUntil()));
  limit.wait(9_000);
  limit.wait(5_000);
  end();
  limit.wait(20_000);
  expect(heard).toEqual([9_000, 9_000]);
});
