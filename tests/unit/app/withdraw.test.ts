import { describe, expect, test } from "vitest";
import type { Portfolio } from "@/app/_client/queries/queries";
import { findPayableOption } from "@/app/dashboard/withdraw/_components/payable-option";
import { computeCashOutFigures, listStrandedTokenSymbols } from "@/app/dashboard/withdraw/_components/withdraw-figures";
import { ASSETS, KNOWN_TOKENS, type KnownToken } from "@/lib/domain/assets";
import { ApiError } from "@/lib/sdk/calls/api-error";
import type { Calls } from "@/lib/sdk/calls/calls";
import type { CashOutBuild } from "@/lib/sdk/flow/cash-out";

/** Creates a portfolio. Its unknown tokens have their symbol as mint. */
const createPortfolio = (...symbols: string[]) =>
  ({
    balances: symbols.map((symbol) => {
      const asset = symbol in ASSETS ? symbol : null;
      return { symbol, asset, mint: KNOWN_TOKENS[symbol as KnownToken]?.mint ?? symbol };
    }),
  }) as Portfolio;

describe("listStrandedTokenSymbols", () => {
  test.each<[string, string[], KnownToken | null, string | null, bigint, string[]]>([
    ["all SOL leaves", ["BTC", "Ab1…c", "SOL"], "SOL", null, 0n, ["BTC", "Ab1…c"]],
    ["too little SOL stays", ["BTC", "SOL"], "SOL", "5", 2_999_999n, ["BTC"]],
    ["enough SOL stays", ["BTC", "SOL"], "SOL", "5", 3_000_000n, []],
    ["the wallet holds no token", ["SOL"], "SOL", null, 0n, []],
    ["everything leaves", ["BTC", "SOL"], null, null, 0n, []],
    ["the only token leaves", ["BTC", "SOL"], "BTC", null, 0n, []],
    ["part of the only token leaves", ["BTC", "SOL"], "BTC", "1", 0n, ["BTC"]],
    ["one of two tokens leaves", ["BTC", "ETH", "SOL"], "BTC", null, 0n, ["ETH"]],
    ["a dollar token leaves", ["PYUSD", "BTC", "Ab1…c", "SOL"], "PYUSD", null, 0n, ["BTC", "Ab1…c"]],
  ])(
    "lists the tokens that cannot be moved later if %s",
    (_, symbols, asset, amountBaseUnits, remainingLamports, strandedSymbols) => {
      expect(
        listStrandedTokenSymbols(createPortfolio(...symbols), { asset, amountBaseUnits }, remainingLamports),
      ).toEqual(strandedSymbols);
    },
  );
});

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

const FEE_LAMPORTS = 5_000;
const RENT_LAMPORTS = 890_880;
const portfolio = { balances: [{ asset: "BTC" }, { asset: "ETH" }, { asset: "SOL" }] } as Portfolio;
const request = {
  serviceWallet: "wallet",
  network: "sandbox",
  destination: "main",
  slippageBps: 50,
  portfolio,
} as const;

/** What each way's builds answer: whether they are ready, or the code of their error. */
type Answers = Partial<Record<"coins" | "SOL" | "USDC", boolean | "no_route">>;

/** Returns calls that answer like this. Every sale keeps the rent of the wallet and pays one fee. */
function createAnswers(answers: Answers, balanceLamports = 10_000_000): Calls {
  const costs = { networkFeeLamports: FEE_LAMPORTS, tokenAccountDepositLamports: 0, reserveLamports: RENT_LAMPORTS };
  return {
    get: async () => ({ prices: { BTC: 100_000, ETH: 4_000, SOL: 150, USDC: 1 } }),
    post: async (path: string, { into }: { into?: "SOL" | "USDC" }) => {
      const answer = answers[path === "/api/withdraw/build" ? "coins" : into!] ?? false;
      if (answer === "no_route") throw new ApiError("no_route", "No route.", { status: 503 });
      return { ready: answer, reason: null, balanceSol: balanceLamports / 1e9, costs, transactions: [] };
    },
  } as unknown as Calls;
}

test.each<[string, "coins" | "SOL" | "USDC", Answers, string | null]>([
  ["the only payable way", "coins", { USDC: true }, "USDC"],
  ["the coins first, which no sale changes", "SOL", { coins: true, USDC: true }, "coins"],
  ["never the refused way", "USDC", { USDC: true }, null],
  ["a way after one without a route", "coins", { SOL: "no_route", USDC: true }, "USDC"],
  ["nothing when no way is payable", "coins", {}, null],
])("offers %s", async (_name, refusedOption, answers, option) => {
  expect(await findPayableOption(createAnswers(answers), refusedOption, request)).toBe(option);
});

test("a sale into USDC is offered only if the SOL also pays for the other sale and the withdrawal", async () => {
  const requiredLamports = RENT_LAMPORTS + 3 * FEE_LAMPORTS;
  const find = (lamports: number) => findPayableOption(createAnswers({ USDC: true }, lamports), "coins", request);
  expect(await find(requiredLamports - 1)).toBeNull();
  expect(await find(requiredLamports)).toBe("USDC");
});

test("a wallet without coins to sell has no other way", async () => {
  const onlySol = { balances: [{ asset: "SOL" }] } as Portfolio;
  const calls = createAnswers({ SOL: true, USDC: true });
  expect(await findPayableOption(calls, "coins", { ...request, portfolio: onlySol })).toBeNull();
});
