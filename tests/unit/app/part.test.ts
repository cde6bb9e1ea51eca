import fc from "fast-check";
import { expect, test } from "vitest";
import {
  buildPartRequest,
  createPart,
  findPartFault,
  type HeldAsset,
  type Part,
  readPartAmount,
  replaceAmount,
} from "@/app/dashboard/_components/part";

const BTC_HOLDING: HeldAsset = { asset: "BTC", amount: 9_991n, decimals: 8, priceUsd: 100_000 };
const createTypedPart = (text: string, overrides: Partial<Part> = {}): Part => ({
  ...createPart("BTC"),
  text,
  ...overrides,
});

test("the form converts typed dollars to base units, rounded down", () => {
  expect(buildPartRequest(createTypedPart("4,22"), [BTC_HOLDING])).toEqual({ asset: "BTC", amountBaseUnits: "4220" });
  expect(readPartAmount(createTypedPart("4.2259"), BTC_HOLDING)).toBe(4_225n);
});

test("the form reads the displayed dollar value of a holding as the whole holding", () => {
  for (const amount of [9_991n, 9_990_500n, 9_994_999n]) {
    const holding = { ...BTC_HOLDING, amount };
    const part = replaceAmount(createTypedPart(""), holding, amount);
    expect(buildPartRequest(createTypedPart(part.text), [holding]), part.text).toEqual({
      asset: "BTC",
      amountBaseUnits: null,
    });
  }
});

test("the form keeps the exact amount of a chosen share in both units", () => {
  fc.assert(
    fc.property(fc.bigInt(1n, 10n ** 15n), fc.constantFrom("usd", "coins"), (amount, unit) => {
      const holding = { ...BTC_HOLDING, amount: amount * 2n };
      expect(readPartAmount(replaceAmount(createTypedPart("", { unit }), holding, amount), holding)).toBe(amount);
    }),
  );
});

test.each([
  ["", "Type an amount, or choose a share."],
  ["abc", "Write the amount with digits, like 27.63."],
  ["0", "The amount must be more than 0."],
  ["0.0001", "The amount must be more than 0."],
  ["10", "You have $9.99."],
  ["1.500", "This can mean 1.5 or 1500. Write one of these."],
  ["5 €", "Write the amount in US dollars, not in €."],
])("the form refuses %j dollars: %s", (text, fault) => {
  expect(findPartFault(createTypedPart(text), [BTC_HOLDING])).toBe(fault);
});

test("the form reads an amount as coins when there is no price", () => {
  const holdings = [{ ...BTC_HOLDING, priceUsd: null }];
  expect(buildPartRequest(createTypedPart("0.00009991"), holdings)).toEqual({ asset: "BTC", amountBaseUnits: null });
  expect(findPartFault(createTypedPart("1"), holdings)).toBe("You have 0.00009991 BTC.");
  expect(findPartFault(createTypedPart("0.000000001"), holdings)).toBe("Use at most 8 decimals, like 0.1.");
  expect(findPartFault(createTypedPart("1.500 BTC"), holdings)).toMatch(/^This can mean 1.5 or 1500\./);
});
