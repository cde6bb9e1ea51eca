import type { buildSaleContract } from "../contracts/build-sale";
import type { DataOf, InputOf } from "../contracts/define";
import { ASSETS, type TradedAsset } from "../domain/assets";
import { clampToZero, computeValueMicroUsd, fromMicroUsd, lamportsToSol, toCoins, toMissingUsd } from "../domain/money";
import { DEFAULT_SLIPPAGE_BPS } from "../domain/plans";
import { AppError } from "../errors";
import type { Deps } from "../ports/deps";
import { requireSoundPrices, toSolPriceMicroUsd } from "./steps/prices/read-prices";
import { buildLegs } from "./steps/swap/build-legs";
import { readSwapBudget } from "./steps/swap/swap-budget";

type Input = InputOf<typeof buildSaleContract>;
type Sale = DataOf<typeof buildSaleContract>;

/** Builds the sale of an asset. Selling is never paused, so that users can always get their SOL back. */
export async function buildSale(deps: Deps, input: Input): Promise<Sale> {
  const { serviceWalletPubkey: wallet, asset, into, slippageBps = DEFAULT_SLIPPAGE_BPS } = input;
  if (deps.feeCollectors.includes(wallet)) throw new AppError("wallet_not_allowed");
  const [prices, budget] = await Promise.all([
    requireSoundPrices(deps, [asset, into]),
    readSwapBudget(deps, wallet, asset, [into]),
  ]);
  const { balanceLamports, heldAmount, depositLamports, reserveLamports, typicalFeeLamports } = budget;
  const amount = input.amount === undefined ? heldAmount : BigInt(input.amount);
  const buildAnswer = (feeLamports: bigint, quoteWarning: string | null = null): Sale => {
    const neededLamports = clampToZero(feeLamports + depositLamports + reserveLamports - balanceLamports);
    const reason = quoteWarning ?? explainRefusal(heldAmount, amount, asset, neededLamports);
    return {
      ready: reason === null,
      reason,
      balanceSol: lamportsToSol(balanceLamports),
      balanceAmount: heldAmount.toString(),
      balanceUsd: fromMicroUsd(computeValueMicroUsd(heldAmount, ASSETS[asset].decimals, prices.usd[asset])),
      neededLamports: Number(neededLamports),
      neededUsd: toMissingUsd(neededLamports, toSolPriceMicroUsd(prices)),
      costs: {
        networkFeeLamports: Number(feeLamports),
        tokenAccountDepositLamports: Number(depositLamports),
        reserveLamports: Number(reserveLamports),
      },
      transactions: [],
    };
  };
  // The sale may cost less than others. It is refused before its quote only if it fails even without a fee.
  if (!buildAnswer(0n).ready) return buildAnswer(typicalFeeLamports);

  const terms = { wallet, soldAsset: asset, slippageBps, openAccounts: budget.openAccounts, prices };
  const { swaps, networkFeeLamports, warning } = await buildLegs(deps, terms, [{ asset: into, amount }]);
  if (warning !== null) return buildAnswer(typicalFeeLamports, warning);
  const sale = buildAnswer(networkFeeLamports);
  return sale.ready ? { ...sale, transactions: swaps.map((swap) => ({ asset, ...swap })) } : sale;
}

function explainRefusal(heldAmount: bigint, amount: bigint, asset: TradedAsset, neededLamports: bigint): string | null {
  const { decimals } = ASSETS[asset];
  if (heldAmount === 0n) return `The wallet holds no ${asset}.`;
  if (amount > heldAmount) return `The wallet holds only ${toCoins(heldAmount, decimals).toFixed(decimals)} ${asset}.`;
  if (neededLamports === 0n) return null;
  return `The wallet lacks ${lamportsToSol(neededLamports).toFixed(9)} SOL for the network fee and what Solana keeps as a deposit. Add it with a top-up. Withdrawing everything can need less, because it returns the deposits.`;
}
