import { describe, expect, test } from "vitest";
import type { Portfolio } from "@/app/_client/queries/queries";
import { joinNames, listTokensWithoutSol } from "@/app/dashboard/withdraw/_components/tokens-that-stay";
import { ASSETS, type AssetSymbol } from "@/lib/domain/assets";

const holding = (symbol: string) => {
  const asset = symbol in ASSETS ? (symbol as AssetSymbol) : null;
  return { asset, symbol, mint: symbol, balance: 1, amount: "1", decimals: 0, priceUsd: null, usdValue: null };
};
const wallet = (...symbols: string[]) => ({ balances: symbols.map(holding) }) as unknown as Portfolio;

describe("tokens that a withdrawal leaves without the SOL to move them", () => {
  test.each<[string, string[], AssetSymbol | null, string | null, bigint, string[]]>([
    ["all SOL goes", ["BTC", "Ab1…c", "SOL"], "SOL", null, 0n, ["BTC", "Ab1…c"]],
    ["a little SOL stays", ["BTC", "SOL"], "SOL", "5", 2_999_999n, ["BTC"]],
    ["enough SOL stays", ["BTC", "SOL"], "SOL", "5", 3_000_000n, []],
    ["no token is there", ["SOL"], "SOL", null, 0n, []],
    ["everything goes", ["BTC", "SOL"], null, null, 0n, []],
    ["the only token goes", ["BTC", "SOL"], "BTC", null, 0n, []],
    ["a part of the only token goes", ["BTC", "SOL"], "BTC", "1", 0n, ["BTC"]],
    ["one token of two goes", ["BTC", "ETH", "SOL"], "BTC", null, 0n, ["ETH"]],
  ])("%s", (_, held, asset, amount, remaining, stranded) => {
    expect(listTokensWithoutSol(wallet(...held), { asset, amount }, remaining)).toEqual(stranded);
  });

  test("are named in a sentence, however many", () => {
    expect([["BTC"], ["BTC", "ETH"], ["BTC", "ETH", "USDC"], ["BTC", "ETH", "USDC", "USDT"]].map(joinNames)).toEqual([
      "BTC",
      "BTC and ETH",
      "BTC, ETH and USDC",
      "BTC, ETH and 2 more tokens",
    ]);
  });
});
