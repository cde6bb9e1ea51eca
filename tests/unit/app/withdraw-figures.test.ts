import { expect, test } from "vitest";
import type { ActivityItem } from "@/app/_client/queries/activity";
import type { Portfolio } from "@/app/_client/queries/queries";
import {
  computePaidDepositLamports,
  describeReturnedDeposits,
  findDecodedItems,
} from "@/app/dashboard/withdraw/_components/arrivals";
import { computeCashOutFigures } from "@/app/dashboard/withdraw/_components/cash-out-figures";
import { ASSETS } from "@/lib/domain/assets";
import type { CashOutBuild } from "@/lib/sdk/flow/cash-out";
import type { WithdrawnAsset } from "@/lib/sdk/flow/withdraw";

const createSales = (assets: string[]) =>
  assets.map((asset) => ({
    balanceSol: 0.001085464,
    costs: { networkFeeLamports: 5_077 },
    transactions: [{ asset, quote: { priceUsd: 1, outputAmount: "3230000", outputDecimals: 6 } }],
  })) as unknown as CashOutBuild["sales"];

test("a withdrawal that sells first shows the SOL that is left after the fees of all its transactions", () => {
  const figures = computeCashOutFigures(createSales(["BTC", "ETH"]), { balances: [], solPriceUsd: 145 }, 6_117_840);
  expect(figures).toMatchObject({ feeLamports: 15_154, balanceLamports: 1_070_310n });
});

test("the known amounts add up to the sum of the known amounts when a coin has no price", () => {
  const balances = [{ asset: null, usdValue: null }] as Portfolio["balances"];
  const figures = computeCashOutFigures(createSales(["BTC", "ETH"]), { balances, solPriceUsd: 145 }, 6_117_840);
  expect(figures.shownUsd, "their sum is $7.50").toEqual([3.22, 3.23, 0.16, 0.89]);
});

test.each([
  ["everything goes to new accounts", 4_078_560, 4_078_560, 3_124_820, "; used for the account deposit above"],
  [
    "a part goes to new accounts",
    4_078_560,
    2_039_280,
    1,
    "; used for the account deposit above, the rest included in the SOL",
  ],
  ["no account is new", 4_078_560, 0, 1, "; included in the SOL above"],
  ["only tokens are sent", 2_039_280, 0, 0, "; kept in your savings wallet"],
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
  ["pays the deposit of an account that it opens", -2_039_280 - 700, 2_039_280],
  ["pays no deposit for an account that is open already", -700, 0],
])("a withdrawal %s", (_caseName, netLamports, paidLamports) => {
  // The wallet's own token account returned its deposit in the same transaction.
  const amounts = [
    { mint: ASSETS.SOL.mint, amount: String(netLamports + 2_039_280) },
    { mint: ASSETS.USDC.mint, amount: "-5000000" },
  ];
  const sentAssets = [
    { mint: ASSETS.USDC.mint, amount: "5000000" },
    { mint: ASSETS.SOL.mint, amount: "700" },
  ];
  const item = { amounts, tokenAccountDepositLamports: -2_039_280 } as ActivityItem;
  expect(computePaidDepositLamports(item, sentAssets as WithdrawnAsset[])).toBe(paidLamports);
});

test("a transaction that the node lists without its amounts says nothing about a withdrawal", () => {
  const items = [
    { txSignature: "listed", amounts: [] },
    { txSignature: "decoded", amounts: [{ mint: ASSETS.SOL.mint, amount: "-5" }] },
  ] as unknown as ActivityItem[];
  expect(findDecodedItems({ items }, ["listed", "decoded", "absent"])).toEqual([items[1]]);
  expect(findDecodedItems(undefined, ["decoded"])).toEqual([]);
});
