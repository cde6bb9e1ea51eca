import type { buildSaleContract } from "../../contracts/build-sale";
import type { DataOf } from "../../contracts/define";
import { ASSETS, type SaleTarget, type TradedAsset } from "../../domain/assets";
import { assertAsShown } from "../../domain/not-as-shown";
import type { SwapFigures } from "../../domain/swap/swap-check";
import { requireShownNetworkFee } from "../../domain/transaction-check";
import type { AssetPrices } from "../prices/price-store";
import { getMinimumOutput, verifySwap } from "./swap";

export interface RequestedSale {
  /** Set by the caller, never copied from the response: the sandbox has different rules. */
  network: string;
  /** The service wallet, derived locally. */
  wallet: string;
  asset: TradedAsset;
  into: SaleTarget;
  /** Base units; null sells the whole balance. */
  amountBaseUnits: string | null;
  slippageBps: number;
  /** The prices of both assets, against which the swap is checked. */
  prices: AssetPrices;
}

/**
 * Verifies that a build contains exactly the requested sale, as shown. The transaction swaps one mint for the other and
 * transfers no SOL. SOL proceeds are unwrapped into the wallet.
 * @returns the figures read from the transaction's bytes, for review
 * @throws {NotAsShown}
 */
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
