import { describe, expect, test } from "vitest";
import type { Portfolio } from "@/app/_client/queries/queries";
import { listStrandedTokenSymbols } from "@/app/dashboard/withdraw/_components/stranded-tokens";
import { ASSETS, KNOWN_TOKENS, type KnownToken } from "@/lib/domain/assets";

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
