import { expect, test } from "vitest";
import type { Portfolio } from "@/app/_client/queries/queries";
import { computeCashOutFigures } from "@/app/dashboard/withdraw/_components/cash-out-figures";
import type { CashOutBuild } from "@/lib/sdk/flow/cash-out";

/** The rent-exempt minimum of three token accounts, lamports. */
const DEPOSITS = 3 * 2_039_280;

const createSales = (assets: string[]) =>
  assets.map((asset) => ({
    balanceSol: 0.001085464,
    costs: { networkFeeLamports: 5_077 },
    transactions: [{ asset, quote: { priceUsd: 1, outputAmount: "3230000", outputDecimals: 6 } }],
  })) as unknown as CashOutBuild["sales"];

test("a withdrawal that sells first shows the SOL that is left after the fees of all its transactions", () => {
  const figures = computeCashOutFigures(createSales(["BTC", "ETH"]), { balances: [], solPriceUsd: 145 }, DEPOSITS);
  expect(figures).toMatchObject({ feeLamports: 2 * 5_077 + 5_000, balanceLamports: 1_070_310n });
});

test("the rounded amounts add up to the rounded total, which leaves out a coin without a price", () => {
  const balances = [{ asset: null, usdValue: null }] as Portfolio["balances"];
  const figures = computeCashOutFigures(createSales(["BTC", "ETH"]), { balances, solPriceUsd: 145 }, DEPOSITS);
  expect(figures.shownUsd, "their sum is $7.50").toEqual([3.22, 3.23, 0.16, 0.89]);
});
