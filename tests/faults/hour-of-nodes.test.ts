import { expect, test } from "vitest";
import { liveThrough } from "../support/worlds/hour-of-nodes";

/** More of them in `npm run faults`. */
const HOURS = Number(process.env.FAULT_HOURS ?? 1);

test("three nodes of which one lags, one is busy and one dies, in turn: an hour without one wrong answer", {
  timeout: HOURS * 300_000,
}, async () => {
  const tally = await liveThrough(HOURS, 11);
  expect(tally.wrong).toEqual([]);
  // What never happens proves nothing.
  const { answered, landed, pending, expired, failed } = tally;
  expect(Math.min(answered / 600, landed / 200, pending / 4, expired / 2)).toBeGreaterThan(HOURS);
  expect(Object.keys(failed).sort()).toEqual(expect.arrayContaining(["upstream_timeout", "upstream_unavailable"]));
});
