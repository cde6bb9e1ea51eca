import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  findAmountsError,
  parseAmount,
  parseAmountInRange,
  parseAmounts,
  parseDecimal,
  parsePercentBps,
  readAddress,
  removeInvisible,
  writeUnambiguously,
} from "@/app/_components/parse-amount";
import { CEILING_USD_RANGE, PAYMENT_USD_RANGE, ROUND_TO_USD_RANGE } from "@/lib/domain/limits";

describe("a typed amount", () => {
  test.each([
    ["27.63", 27.63],
    ["27,63", 27.63],
    ["$5", 5],
    ["1,234.50", 1234.5],
    ["1.234,50", 1234.5],
    ["1.234.567,5", 1234567.5],
    ["0,5", 0.5],
    ["0,125", 0.125],
    ["1,2345", 1.2345],
    ["1234.567", 1234.567],
    ["1,234,567", 1234567],
    ["12.", 12],
    [".5", 0.5],
    [" 7 ", 7],
    ["$ 5", 5],
    ["5 USD", 5],
    ["US$5.10", 5.1],
    ["٢٧٫٦٣", 27.63],
    ["۱۲٬۳۴۵٫۶", 12345.6],
    ["\u200e27.63\u200b", 27.63],
    ["27.63\u00a0$", 27.63],
  ])("%j is read as %d", (text, value) => {
    expect(parseAmount(text)).toBe(value);
  });

  test.each(["", "abc", "1e3", "-1", "1.2.3", "1,23,4", ".", "0x10", "Infinity"])(
    "%j is not read as an amount",
    (text) => {
      expect(parseAmount(text)).toBeNull();
    },
  );

  test.each([
    ["1.500", "This can mean 1.5 or 1500. Write one of these."],
    ["5,000", "This can mean 5 or 5000. Write one of these."],
    ["$1.125", "This can mean 1.1250 or 1125. Write one of these."],
    ["۱٬۵۰۰", "This can mean 1.5 or 1500. Write one of these."],
    ["5 €", "Write the amount in US dollars, not in €."],
    ["CHF 12.40", "Write the amount in US dollars, not in CHF."],
  ])("%j is neither guessed nor converted: %s", (text, error) => {
    expect(parseAmount(text)).toBeNull();
    expect(parseAmountInRange(text, PAYMENT_USD_RANGE)).toEqual({ value: null, error });
  });

  test("may name the field's own unit and no other", () => {
    expect(parseDecimal("0,12345678 btc", "BTC")).toEqual({ decimal: "0.12345678", error: null });
    expect(parseDecimal("$5", "BTC").error).toBe("Write the amount in BTC, not in $.");
    expect(parseDecimal("5", "BTC")).toEqual({ decimal: "5", error: null });
    expect(["1,25 %", "1.50", "1.500", "1.234567", "5 $"].map(parsePercentBps)).toEqual([125, 150, null, null, null]);
  });

  test("keeps all its digits", () => {
    expect(parseDecimal("123456789012.123456789", "SOL").decimal).toBe("123456789012.123456789");
    expect(parseDecimal("9".repeat(41)).decimal).toBeNull();
  });

  test("has one meaning when the page writes it", () => {
    const micros = fc.bigInt(0n, 10n ** 13n).map((amount) => String(Number(amount) / 1_000_000));
    fc.assert(
      fc.property(micros, (decimal) => {
        expect(Number(parseDecimal(writeUnambiguously(decimal)).decimal)).toBe(Number(decimal));
      }),
    );
  });

  test("outside its range gives an error message instead of a value", () => {
    expect(parseAmountInRange("", PAYMENT_USD_RANGE)).toEqual({ value: null, error: "Type an amount." });
    expect(parseAmountInRange("2000000", PAYMENT_USD_RANGE)).toEqual({ value: null, error: "At most $1,000,000.00." });
    expect(parseAmountInRange("0", CEILING_USD_RANGE)).toEqual({ value: null, error: "More than $0.00." });
    expect(parseAmountInRange("0.001", ROUND_TO_USD_RANGE)).toEqual({ value: null, error: "At least $0.01." });
    expect(parseAmountInRange("0", PAYMENT_USD_RANGE)).toEqual({ value: 0, error: null });
  });

  test("may be one of several in a line", () => {
    expect(parseAmounts("4.98 27,63; 12, 1,234.50")).toEqual([4.98, 27.63, 12, 1234.5]);
    expect(parseAmounts("")).toEqual([]);
    expect(parseAmounts("4.98 coffee")).toBeNull();
    expect(findAmountsError("4.98 1.500")).toBe("“1.500”: This can mean 1.5 or 1500. Write one of these.");
    expect(findAmountsError("4.98 2000000")).toBe("“2000000”: At most $1,000,000.00.");
  });
});

const ADDRESS = "So11111111111111111111111111111111111111112";

test.each([
  ["white space", ` ${ADDRESS}\n`],
  ["line breaks inside", `${ADDRESS.slice(0, 20)}\r\n${ADDRESS.slice(20)}`],
  ["characters without a width", `\u2066${ADDRESS.slice(0, 9)}\u200b${ADDRESS.slice(9)}\ufeff\u2069`],
  ["the scheme of a payment link", `solana:${ADDRESS}`],
  ["the parameters of a payment link", `SOLANA:${ADDRESS}?amount=1&label=Shop`],
])("an address is read from a text with %s", (_caseName, text) => {
  expect(readAddress(text)).toBe(ADDRESS);
});

test("a text that is not an address stays recognizable", () => {
  expect(readAddress("https://example.com/?a=1")).toBe("https://example.com/?a=1");
  expect(removeInvisible("5\u00a0\u202f000\u00ad")).toBe("5000");
});
