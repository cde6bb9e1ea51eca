import fc from "fast-check";
import { expect, test } from "vitest";
import type { HeldAsset } from "@/app/dashboard/_components/held-assets";
import {
  createPart,
  findPartFault,
  type Part,
  readPart,
  readPartAmount,
  setAmount,
} from "@/app/dashboard/_components/part";

const BTC: HeldAsset = { asset: "BTC", amount: 9_991n, decimals: 8, priceUsd: 100_000 };
const typed = (text: string, changed: Partial<Part> = {}): Part => ({ ...createPart("BTC"), text, ...changed });

test("converts typed dollars to base units, rounded down", () => {
  expect(readPart(typed("4,22"), [BTC])).toEqual({ asset: "BTC", amount: "4220" });
  expect(readPartAmount(typed("4.2259"), BTC)).toBe(4_225n);
});

test("takes the available dollars for the whole holding, whatever was rounded off them", () => {
  for (const amount of [9_991n, 9_990_500n, 9_994_999n]) {
    const held = { ...BTC, amount };
    const all = setAmount(typed(""), held, amount);
    expect(readPart(typed(all.text), [held]), all.text).toEqual({ asset: "BTC", amount: null });
  }
});

test("a share that the page writes keeps its exact amount in both units", () => {
  fc.assert(
    fc.property(fc.bigInt(1n, 10n ** 15n), fc.constantFrom("usd", "coins"), (amount, unit) => {
      const held = { ...BTC, amount: amount * 2n };
      expect(readPartAmount(setAmount(typed("", { unit }), held, amount), held)).toBe(amount);
    }),
  );
});

test.each([
  ["", "Type an amount, or choose a share."],
  ["abc", "Write the amount with digits, like 27.63."],
  ["0", "The amount must be more than 0."],
  ["0.0001", "The amount must be more than 0."],
  ["10", "You have $9.99."],
])("refuses %j dollars: %s", (text, fault) => {
  expect(findPartFault(typed(text), [BTC])).toBe(fault);
});

test("reads coins while there is no price", () => {
  const held = [{ ...BTC, priceUsd: null }];
  expect(readPart(typed("0.00009991"), held)).toEqual({ asset: "BTC", amount: null });
  expect(findPartFault(typed("1"), held)).toBe("You have 0.00009991 BTC.");
});
