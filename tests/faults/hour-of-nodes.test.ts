import { expect, test } from "vitest";
import { simulateHours } from "../support/worlds/simulate-hours";

/** Number of virtual hours to run. `npm run faults` sets more. */
const HOURS = Number(process.env.FAULT_HOURS ?? 1);

test("the service gives no wrong answer while its nodes lag, overload and fail in turn", {
  timeout: HOURS * 300_000,
}, async () => {
  // The random failures of this seed last long enough for every outcome.
  const tally = await simulateHours(HOURS, 12);
  expect(tally.violations).toEqual([]);
  // A case that never occurs proves nothing, so an hour must have more than 600 answers, 200 landings, and so on.
  const { answered, landed, pending, expired, failed } = tally;
  expect(Math.min(answered / 600, landed / 200, pending / 4, expired / 2)).toBeGreaterThan(HOURS);
  expect(Object.keys(failed).sort()).toEqual(expect.arrayContaining(["upstream_timeout", "upstream_unavailable"]));
});
