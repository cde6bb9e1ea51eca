import { expect, test } from "vitest";
import { formatMark } from "../../../lib/domain/marks";
import { createReferenceMark, REFERENCE_PATTERN } from "../../../lib/domain/reference";

const WALLET = "9ePUvnibeajwyfBS3Eg1zg8pyAzJg1w2zhpHvWCBBCJs";

test.each([
  ["order-1001", "c9ffb08045504ca33e95691a0b65adf5", "EbX5f8vUUXygFHa3PUgSY81z41ptkh7LzxFrYEtcg4cH"],
  ["a b/c%?#", "f6053c671e9f71dee95aafbd14d3d452", "HZMvcWWky5SCirnUjs3eYfD251WcFQZgiaKkxGqW7DpJ"],
])("the mark of the reference %s is its hash with the wallet, as documented", (reference, hash, key) => {
  const mark = createReferenceMark(WALLET, reference);
  expect([formatMark(mark), mark.key]).toEqual([`roundup:1:ref:${hash}`, key]);
});

test("the service accepts a reference of 1 to 64 printable ASCII characters that a URL path can carry", () => {
  for (const name of ["a", "...", " ", "~".repeat(64)]) expect(name).toMatch(REFERENCE_PATTERN);
  for (const name of ["", ".", "..", "~".repeat(65), "\n", "a\n", "ä", "\0"])
    expect(name).not.toMatch(REFERENCE_PATTERN);
});
