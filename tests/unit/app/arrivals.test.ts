import { expect, test } from "vitest";
import type { ActivityItem } from "@/app/_client/queries/activity";
import {
  computePaidDepositLamports,
  describeReturnedDeposits,
  findDecodedItems,
} from "@/app/dashboard/withdraw/_components/arrivals";
import { ASSETS } from "@/lib/domain/assets";
import type { WithdrawnAsset } from "@/lib/sdk/flow/withdraw";

/** The rent-exempt minimum of a token account, lamports. */
const DEPOSIT = 2_039_280;

test.each([
  ["everything goes to new accounts", 2 * DEPOSIT, 2 * DEPOSIT, 1, "; used for the account deposit above"],
  [
    "a part goes to new accounts",
    2 * DEPOSIT,
    DEPOSIT,
    1,
    "; used for the account deposit above, the rest included in the SOL",
  ],
  ["no account is new", 2 * DEPOSIT, 0, 1, "; included in the SOL above"],
  ["only tokens are sent", DEPOSIT, 0, 0, "; kept in your savings wallet"],
])(
  "the page says where the returned deposits go when %s",
  (_caseName, returnedLamports, paidLamports, receivedLamports, text) => {
    const costs = {
      networkFeeLamports: 5_000,
      returnedDepositLamports: returnedLamports,
      tokenAccountDepositLamports: paidLamports,
    };
    expect(describeReturnedDeposits({ costs, receivedLamports })).toContain(text);
  },
);

test.each([
  ["when it opened an account", -DEPOSIT - 700, DEPOSIT],
  ["as 0 when the account was open already", -700, 0],
])("the deposit that a withdrawal paid is counted %s", (_caseName, netLamports, paidLamports) => {
  // The wallet's own token account returned its deposit in the same transaction.
  const amounts = [
    { mint: ASSETS.SOL.mint, amount: String(netLamports + DEPOSIT) },
    { mint: ASSETS.USDC.mint, amount: "-5000000" },
  ];
  const sentAssets = [
    { mint: ASSETS.USDC.mint, amount: "5000000" },
    { mint: ASSETS.SOL.mint, amount: "700" },
  ];
  const item = { amounts, tokenAccountDepositLamports: -DEPOSIT } as ActivityItem;
  expect(computePaidDepositLamports(item, sentAssets as WithdrawnAsset[])).toBe(paidLamports);
});

test("a withdrawal's result uses only transactions whose amounts are known", () => {
  const items = [
    { txSignature: "listed", amounts: [] },
    { txSignature: "decoded", amounts: [{ mint: ASSETS.SOL.mint, amount: "-5" }] },
  ] as unknown as ActivityItem[];
  const steps = ["listed", "decoded", "absent"].map((txSignature) => ({ txSignature }));
  expect(findDecodedItems({ items }, steps)).toEqual([items[1]]);
  expect(findDecodedItems(undefined, steps)).toEqual([]);
});
