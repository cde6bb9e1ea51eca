import { expect, test } from "vitest";
import { DEFAULT_TERMS, type TypedTerms } from "@/app/_client/local-storage/terms";
import { listOptions } from "@/app/dashboard/_saving/wrap/terms-fields";

test.each<[string, Partial<TypedTerms>, string, string]>([
  ["another plan's", {}, "50 %", "100 %"],
  ["its own", { choice: "step-5", ceiling: "5.00" }, "50 %", "100 %"],
  ["a lower one, typed after it was chosen,", { choice: "step-5", ceiling: "2.00" }, "20 %", "100 %"],
  ["a higher one, typed for the other step,", { choice: "step-10", ceiling: "7.00" }, "50 %", "70 %"],
])("a big step names the share that it saves with %s ceiling", (_caseName, changes, five, ten) => {
  // The next multiples are 15 and 20 dollars, so the change is 4.999 and 9.999.
  const options = new Map(listOptions({ ...DEFAULT_TERMS, ...changes }, [10.001]));
  expect([options.get("step-5"), options.get("step-10")]).toEqual([
    `Next $5.00, fee 0.25 %, saves ${five} of what you spent`,
    `Next $10.00, fee 0.25 %, saves ${ten} of what you spent`,
  ]);
});
