import { describe, expect, test } from "vitest";
import { parseAmount, parseAmountInRange, parseAmounts } from "@/app/_components/parse-amount";
import { CEILING_USD_RANGE, PURCHASE_USD_RANGE, ROUND_TO_USD_RANGE } from "@/lib/domain/limits";

describe("a typed amount", () => {
  test.each([
    ["27.63", 27.63],
    ["27,63", 27.63],
    ["$5", 5],
    ["1,234.50", 1234.5],
    ["1.234,50", 1234.5],
    ["1.234.567,5", 1234567.5],
    ["0,5", 0.5],
    ["1,234", 1234],
    ["12.", 12],
    [".5", 0.5],
    [" 7 ", 7],
  ])("%j is read as %d", (text, value) => {
    expect(parseAmount(text)).toBe(value);
  });

  test.each(["", "abc", "1e3", "-1", "1.2.3", "1,23,4", ".", "0x10", "Infinity", "1,2345", "0,125"])(
    "%j is not read as an amount",
    (text) => {
      expect(parseAmount(text)).toBeNull();
    },
  );

  test("outside its range gives an error message instead of a value", () => {
    expect(parseAmountInRange("", PURCHASE_USD_RANGE)).toEqual({ value: null, error: "Type an amount." });
    expect(parseAmountInRange("2000000", PURCHASE_USD_RANGE)).toEqual({ value: null, error: "At most $1,000,000.00." });
    expect(parseAmountInRange("0", CEILING_USD_RANGE)).toEqual({ value: null, error: "More than $0.00." });
    expect(parseAmountInRange("0.001", ROUND_TO_USD_RANGE)).toEqual({ value: null, error: "At least $0.01." });
    expect(parseAmountInRange("0", PURCHASE_USD_RANGE)).toEqual({ value: 0, error: null });
  });

  test("may be one of several in a line", () => {
    expect(parseAmounts("4.98 27,63; 12, 1,234.50")).toEqual([4.98, 27.63, 12, 1234.5]);
    expect(parseAmounts("")).toEqual([]);
    expect(parseAmounts("4.98 coffee")).toBeNull();
  });
});
