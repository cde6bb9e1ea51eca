import type { buildSwapContract } from "../../contracts/build-swap";
import type { DataOf } from "../../contracts/define";
import { ASSETS, type AssetSymbol } from "../../domain/assets";
import { percentOf } from "../../domain/money";
import { must } from "../../domain/not-as-shown";
import { checkSwap, type SwapFigures, type SwapTerms } from "../../domain/swap/swap-check";
import { readBuilt } from "../../domain/transaction-check";
import { NATIVE_MINT } from "../../solana/programs";
import type { AssetPrices } from "../prices/memory";
import { mustBeFair } from "./plausible";

type SwapBuild = DataOf<typeof buildSwapContract>;

/** What the person asked for. */
export interface SwapsAsked {
  /** The caller's own knowledge, never the answer's: the sandbox has other rules. */
  network: string;
  /** Derived here. */
  wallet: string;
  /** Percents of what can be invested. */
  legs: readonly { asset: AssetSymbol; pct: number }[];
  slippageBps: number;
  /** Of SOL and of each asset. */
  prices: AssetPrices;
}

/** A swap as its bytes say it; base units. */
export interface VerifiedSwap extends SwapFigures {
  asset: AssetSymbol;
}

/**
 * Whether one transaction is the swap of these terms and nothing else. @returns what its bytes say
 * @throws {NotAsShown}
 */
export function verifySwap(network: string, transaction: string, terms: SwapTerms, prices: AssetPrices): SwapFigures {
  const figures = checkSwap(network, readBuilt(transaction), terms);
  mustBeFair(terms, figures.minimumOutput, prices);
  return figures;
}

/**
 * Whether the transactions of a build are the swaps that were asked for and shown. @returns what their bytes say, to be
 * shown for review
 * @throws {NotAsShown}
 */
export function verifySwaps(build: SwapBuild, asked: SwapsAsked): VerifiedSwap[] {
  const { network, wallet, slippageBps, legs, prices } = asked;
  const { transactions, swappableLamports, costs } = build;
  must(new Set(transactions.map(({ asset }) => asset)).size === transactions.length, "not_asked_for");
  const swaps = transactions.map(({ asset, transaction, unsigned, inputLamports, quote }): VerifiedSwap => {
    must(unsigned.base64 === transaction, "two_transactions");
    const leg = legs.find((one) => one.asset === asset);
    must(leg !== undefined && asset !== "SOL", "not_asked_for");
    // What rounding leaves over goes to one leg: less than a lamport for each.
    const most = percentOf(BigInt(swappableLamports), leg.pct) + BigInt(legs.length);
    must(BigInt(inputLamports) <= most, "not_asked_for");
    const { mint, decimals } = ASSETS[asset];
    must(quote.outputMint === mint && quote.outputDecimals === decimals, "other_token");
    const minimumOutput = minimumOf(quote, slippageBps);
    const inputAmount = BigInt(inputLamports);
    const terms = { wallet, inputMint: NATIVE_MINT, outputMint: mint, inputAmount, minimumOutput, slippageBps };
    return { asset, ...verifySwap(network, transaction, terms, prices) };
  });
  must(sumOf(swaps, "inputAmount") <= BigInt(swappableLamports), "too_much_sol");
  must(sumOf(swaps, "networkFeeLamports") <= BigInt(costs.networkFeeLamports), "network_fee");
  return swaps;
}

/** The minimum shown, which allows no more slippage than was chosen. @throws {NotAsShown} */
export function minimumOf(quote: { outputAmount: string; minimumOutputAmount: string }, slippageBps: number): bigint {
  const minimum = BigInt(quote.minimumOutputAmount);
  must(minimum >= (BigInt(quote.outputAmount) * BigInt(10_000 - slippageBps)) / 10_000n, "slippage");
  return minimum;
}

const sumOf = (swaps: VerifiedSwap[], member: "inputAmount" | "networkFeeLamports") =>
  swaps.reduce((sum, swap) => sum + swap[member], 0n);
