import { expect, test } from "vitest";
import { type AllocationFault, listAllocationFaults } from "@/lib/domain/allocations";

const createAllocations = (...percents: number[]) =>
  percents.map((pct, i) => ({ asset: (["BTC", "ETH", "SOL"] as const)[i]!, pct }));

test.each([[[100]], [[33.333, 33.333, 33.334]], [[0.1, 0.2, 99.7]], [[0.000001, 99.999999]]])(
  "percents of %j are a valid allocation",
  (percents) => {
    expect(listAllocationFaults(createAllocations(...percents))).toEqual([]);
  },
);

test.each<[AllocationFault[], number[]]>([
  [["wrong_sum"], [50, 49.999999]],
  [["wrong_sum"], [50, 50.000001]],
  [["too_many_decimals"], [33.3333333, 66.6666667]],
  [
    ["too_many_decimals", "wrong_sum"],
    [33.3333333, 60],
  ],
  [["wrong_sum"], []],
])("the faults %j are found in percents of %j", (faults, percents) => {
  expect(listAllocationFaults(createAllocations(...percents))).toEqual(faults);
});

test("an asset may appear only once", () => {
  const half = { asset: "BTC", pct: 50 } as const;
  expect(listAllocationFaults([half, half])).toEqual(["repeated_asset"]);
});
