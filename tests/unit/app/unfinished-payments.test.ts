import { expect, test } from "vitest";
import { describeUnfinished } from "@/app/dashboard/_shell/unfinished-payments";

test.each([true, false])("a payment is called stored only if the browser stores it, in flight: %s", (isInFlight) => {
  expect(describeUnfinished("withdrawal", isInFlight, true)).toContain("is stored here");
  const text = describeUnfinished("withdrawal", isInFlight, false);
  expect(text).not.toContain("stored here");
  expect(text).toContain("This browser does not store it: a reload forgets it");
});
