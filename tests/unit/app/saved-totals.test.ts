import { expect, test } from "vitest";
import { feeBetween } from "@/app/dashboard/_saving/wrap/saved-totals";

test.each([
  ["what the cents leave, though the fee alone would round up", 10.2444, 10.2188, 0.0256, 0.02],
  ["what the cents leave, though the fee alone would round down", 2.5, 2.4938, 0.0062, 0.01],
  ["a fee that shows in no cent as it is", 0.37, 0.369075, 0.000925, 0.000925],
])("given, kept and fee add up to the eye: %s", (_case, given, kept, fee, shown) => {
  expect(feeBetween(given, kept, fee)).toBe(shown);
});
