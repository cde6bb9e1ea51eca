import { expect, test } from "vitest";
import type { Portfolio } from "@/app/_client/queries/queries";
import { findPayableOption } from "@/app/dashboard/withdraw/_components/payable-option";
import { ApiError } from "@/lib/sdk/calls/api-error";
import type { Calls } from "@/lib/sdk/calls/calls";

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
