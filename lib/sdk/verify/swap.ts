import type { buildSaleContract } from "../../contracts/build-sale";
import type { buildSwapContract } from "../../contracts/build-swap";
import type { DataOf } from "../../contracts/define";
import type { Allocation } from "../../domain/allocations";
import {
  ASSETS,
  type AssetSymbol,
  findAssetByMint,
  type PayAsset,
  type SaleTarget,
  type TradedAsset,
} from "../../domain/assets";
import { takePercent } from "../../domain/money";
import { assertAsShown } from "../../domain/not-as-shown";
import { DEFAULT_PRICE_BOUNDS, isWithinBound } from "../../domain/prices/price-bounds";
import { isFairSwap } from "../../domain/swap/fair-swap";
import { checkSwap, type SwapFigures, type SwapTerms } from "../../domain/swap/swap-check";
import { decodeBuiltTransaction, requireShownNetworkFee } from "../../domain/transaction-check";
import type { AssetPrices } from "../prices/guard";

export interface RequestedSwaps {
  /** Set by the caller, never copied from the response: the sandbox has different rules. */
  network: string;
  /** The service wallet, derived locally. */
  wallet: string;
  /** The asset that the swaps sell. Default SOL. */
  payWith?: PayAsset;
  /** Percentages of the investable balance. */
  allocations: readonly Allocation[];
  slippageBps: number;
  /** The prices of the sold asset and of each bought one, against which the swaps are checked. */
  prices: AssetPrices;
}

/** A swap as read from the transaction's bytes; amounts in base units. */
export type VerifiedSwap = SwapFigures & { asset: AssetSymbol };

/** Verifies that a transaction is the swap of these terms and nothing else. @throws {NotAsShown} */
export function verifySwap(network: string, transaction: string, terms: SwapTerms, prices: AssetPrices): SwapFigures {
  const figures = checkSwap(network, decodeBuiltTransaction(transaction), terms);
  requireFairSwap(terms, figures.minimumOutput, prices);
  return figures;
}

/** Verifies that the transactions of a build are the requested swaps, as shown. @throws {NotAsShown} */
export function verifySwaps(build: DataOf<typeof buildSwapContract>, request: RequestedSwaps): VerifiedSwap[] {
  const { network, wallet, payWith = "SOL", slippageBps, allocations, prices } = request;
  const { transactions, swappableLamports, swappableAmount, costs } = build;
  const soldAsset = ASSETS[payWith];
  const toLamports = (amount: string) => (payWith === "SOL" ? Number(amount) : 0);
  assertAsShown(new Set(transactions.map(({ asset }) => asset)).size === transactions.length, "not_asked_for");
  assertAsShown(build.payWith === payWith, "other_token");
  assertAsShown(swappableLamports === toLamports(swappableAmount), "other_amount");
  const swaps = transactions.map(({ asset, transaction, unsigned, quote, ...swap }): VerifiedSwap => {
    assertAsShown(unsigned.base64 === transaction, "two_transactions");
    const allocation = allocations.find((candidate) => candidate.asset === asset);
    assertAsShown(allocation !== undefined && asset !== payWith, "not_asked_for");
    for (const shown of [swap, quote]) {
      assertAsShown(shown.inputMint === soldAsset.mint, "other_token");
      assertAsShown(
        shown.inputAmount === swap.inputAmount && shown.inputLamports === toLamports(swap.inputAmount),
        "other_amount",
      );
    }
    const inputAmount = BigInt(swap.inputAmount);
    // One asset receives the rounding remainder, which is less than one base unit per asset.
    const maxInputAmount = takePercent(BigInt(swappableAmount), allocation.pct) + BigInt(allocations.length);
    assertAsShown(inputAmount <= maxInputAmount, "not_asked_for");
    const { mint, decimals } = ASSETS[asset];
    assertAsShown(quote.inputDecimals === soldAsset.decimals, "other_token");
    assertAsShown(quote.outputMint === mint && quote.outputDecimals === decimals, "other_token");
    const minimumOutput = getMinimumOutput(quote, slippageBps);
    const terms = { wallet, inputMint: soldAsset.mint, outputMint: mint, inputAmount, minimumOutput, slippageBps };
    return { asset, ...verifySwap(network, transaction, terms, prices) };
  });
  const soldAmount = swaps.reduce((sum, { inputAmount }) => sum + inputAmount, 0n);
  assertAsShown(soldAmount <= BigInt(swappableAmount), "too_much_sol");
  requireShownNetworkFee(swaps, costs.networkFeeLamports);
  return swaps;
}

/** Returns the quote's minimum output, base units. @throws {NotAsShown} when the slippage exceeds the chosen one */
export function getMinimumOutput(
  quote: { outputAmount: string; minimumOutputAmount: string },
  slippageBps: number,
): bigint {
  const minimumOutput = BigInt(quote.minimumOutputAmount);
  assertAsShown(minimumOutput >= (BigInt(quote.outputAmount) * BigInt(10_000 - slippageBps)) / 10_000n, "slippage");
  return minimumOutput;
}

export interface RequestedSale extends Pick<RequestedSwaps, "network" | "wallet" | "slippageBps" | "prices"> {
  asset: TradedAsset;
  into: SaleTarget;
  /** Base units; null sells the whole balance. */
  amountBaseUnits: string | null;
}

/** Verifies that a build is exactly the requested sale. SOL proceeds are unwrapped into the wallet. @throws {NotAsShown} */
export function verifySale(
  { transactions, costs }: DataOf<typeof buildSaleContract>,
  request: RequestedSale,
): SwapFigures {
  const { network, wallet, asset, into, amountBaseUnits, slippageBps, prices } = request;
  const [sale, ...otherSwaps] = transactions;
  assertAsShown(sale !== undefined && otherSwaps.length === 0, "not_one_swap");
  const { transaction, unsigned, inputAmount: shownAmount, quote } = sale;
  assertAsShown(unsigned.base64 === transaction, "two_transactions");
  const [soldAsset, boughtAsset] = [ASSETS[asset], ASSETS[into]];
  assertAsShown(sale.inputMint === soldAsset.mint && sale.asset === asset, "other_token");
  assertAsShown(quote.inputMint === soldAsset.mint && quote.inputDecimals === soldAsset.decimals, "other_token");
  assertAsShown(quote.outputMint === boughtAsset.mint && quote.outputDecimals === boughtAsset.decimals, "other_token");
  assertAsShown(
    quote.inputAmount === shownAmount && (amountBaseUnits === null || shownAmount === amountBaseUnits),
    "other_amount",
  );
  const pair = { inputMint: soldAsset.mint, outputMint: boughtAsset.mint, inputAmount: BigInt(shownAmount) };
  const terms = { ...pair, wallet, minimumOutput: getMinimumOutput(quote, slippageBps), slippageBps };
  const figures = verifySwap(network, transaction, terms, prices);
  requireShownNetworkFee([figures], costs.networkFeeLamports);
  return figures;
}

/** Basis points beyond the slippage: the venue's margin, and 2 % for prices read at slightly different times. */
const MARGIN_BPS = 500n;

/** Requires that a swap's minimum output is worth its input, less the slippage and MARGIN_BPS. @throws {NotAsShown} */
export function requireFairSwap(terms: SwapTerms, minimumOutput: bigint, prices: AssetPrices): void {
  const { inputMint, outputMint, inputAmount, slippageBps } = terms;
  const input = { amount: inputAmount, ...getPricedCoin(inputMint, prices) };
  const output = { amount: minimumOutput, ...getPricedCoin(outputMint, prices) };
  assertAsShown(isFairSwap(input, output, slippageBps, MARGIN_BPS), "implausible");
}

function getPricedCoin(mint: string, prices: AssetPrices) {
  const asset = findAssetByMint(mint);
  assertAsShown(asset !== null, "other_token");
  const priceUsd = prices[asset];
  // The package's own bounds apply, whatever price the service names.
  assertAsShown(priceUsd !== undefined && isWithinBound(priceUsd, DEFAULT_PRICE_BOUNDS[asset]), "implausible");
  return { decimals: ASSETS[asset].decimals, priceUsd };
}
