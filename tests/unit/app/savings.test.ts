import { expect, test } from "vitest";
import type { Portfolio } from "@/app/_client/queries/queries";
import { chooseReading } from "@/app/_client/queries/savings";
import type { WalletHistory } from "@/app/_client/queries/wallet-history";

const createReading = (name: string) => ({
  portfolio: { asOf: name } as Portfolio,
  history: { items: [], isComplete: true, canReadMore: false, requestedAt: 0, name } as WalletHistory,
});
const [oldReading, newReading] = [createReading("before"), createReading("after")];

test("the page shows the former balances and history until both contain the landed transaction", () => {
  const mixed = { portfolio: oldReading.portfolio, history: newReading.history };
  expect(chooseReading(oldReading, mixed, true)).toBe(oldReading);
  expect(chooseReading(oldReading, newReading, false)).toBe(newReading);
});

test("without an earlier reading, the page does not show a history together with balances of another time", () => {
  const balances = { portfolio: oldReading.portfolio, history: undefined };
  const mixed = { portfolio: oldReading.portfolio, history: newReading.history };
  for (const formerReading of [undefined, balances]) {
    expect(chooseReading(formerReading, mixed, true)).toEqual(balances);
  }
});
