import type { buildSaleContract } from "../../contracts/build-sale";
import type { DataOf } from "../../contracts/define";
import { ASSETS, type SaleTarget, type SoldAsset } from "../../domain/assets";
import { must } from "../../domain/not-as-shown";
import type { SwapFigures } from "../../domain/swap/swap-check";
import type { AssetPrices } from "../prices/memory";
import { minimumOf, verifySwap } from "./swap";

/** What the person asked for. */
export interface SaleAsked {
  /** The caller's own knowledge, never the answer's: the sandbox has other rules. */
  network: string;
  /** Derived here. */
  wallet: string;
  asset: SoldAsset;
  into: SaleTarget;
  /** Base units; null: all of it. */
  amount: string | null;
  slippageBps: number;
  /** Of both assets. */
  prices: AssetPrices;
}

/**
 * Whether the transaction of a build is the sale that was asked for and shown: from this mint into that one, no transfer
 * of SOL, and SOL that comes is unwrapped into the wallet. @returns what its bytes say, to be shown for review
 * @throws {NotAsShown}
 */
export function verifySale({ transactions, costs }: DataOf<typeof buildSaleContract>, asked: SaleAsked): SwapFigures {
  const { network, wallet, asset, into, amount, slippageBps, prices } = asked;
  const [sale, ...more] = transactions;
  must(sale !== undefined && more.length === 0, "not_one_swap");
  const { transaction, unsigned, inputAmount: shown, quote } = sale;
  must(unsigned.base64 === transaction, "two_transactions");
  const [sold, bought] = [ASSETS[asset], ASSETS[into]];
  must(sale.inputMint === sold.mint && sale.asset === asset, "other_token");
  must(quote.inputMint === sold.mint && quote.inputDecimals === sold.decimals, "other_token");
  must(quote.outputMint === bought.mint && quote.outputDecimals === bought.decimals, "other_token");
  must(quote.inputAmount === shown && (amount === null || shown === amount), "other_amount");
  const pair = { inputMint: sold.mint, outputMint: bought.mint, inputAmount: BigInt(shown) };
  const terms = { ...pair, wallet, minimumOutput: minimumOf(quote, slippageBps), slippageBps };
  const figures = verifySwap(network, transaction, terms, prices);
  must(figures.networkFeeLamports <= BigInt(costs.networkFeeLamports), "network_fee");
  return figures;
}
