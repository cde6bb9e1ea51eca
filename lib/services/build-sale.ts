import type { buildSaleContract } from "../contracts/build-sale";
import type { DataOf, InputOf } from "../contracts/define";
import { ASSETS, type SaleTarget, type TradedAsset } from "../domain/assets";
import {
  clampToZero,
  computeValueMicroUsd,
  fromMicroUsd,
  lamportsToSol,
  pickLarger,
  toCoins,
  toMissingUsd,
} from "../domain/money";
import { DEFAULT_SLIPPAGE_BPS } from "../domain/plans";
import { AppError } from "../errors";
import type { Deps } from "../ports/deps";
import { TOKEN_PROGRAM } from "../solana/programs";
import { readTokenAmount, TOKEN_ACCOUNT_BYTES } from "../solana/token-accounts";
import { deriveAssociatedTokenAddress } from "../solana/token-instructions";
import { readTypicalSwapFee } from "./steps/budget";
import { requireSoundPrices, toSolPriceMicroUsd } from "./steps/prices/read-prices";
import { toSaleQuote } from "./steps/swap/quote";
import { computeMissingDeposit, isOpen } from "./steps/swap/swap-budget";
import { buildVerifiedSwap, dropNeedlessOpenings, planFittingSwap } from "./steps/swap/swap-transaction";

type Input = InputOf<typeof buildSaleContract>;
type Sale = DataOf<typeof buildSaleContract>;

/**
 * Builds the sale of an asset. Selling is never paused, so that users can always get their SOL back.
 * @throws AppError wallet_not_allowed, price_stale, no_route, simulation_failed, upstream_*
 */
export async function buildSale(deps: Deps, input: Input): Promise<Sale> {
  const { serviceWalletPubkey: wallet, asset, into, slippageBps = DEFAULT_SLIPPAGE_BPS } = input;
  if (deps.feeCollectors.includes(wallet)) throw new AppError("wallet_not_allowed");
  const [prices, balances, typicalFeeLamports] = await Promise.all([
    requireSoundPrices(deps, [asset, into]),
    readSaleBalances(deps, wallet, asset, into),
    readTypicalSwapFee(deps, wallet),
  ]);
  const amount = input.amount === undefined ? balances.heldAmount : BigInt(input.amount);
  const buildAnswer = (feeLamports: bigint, quoteWarning: string | null = null): Sale => {
    const neededLamports = clampToZero(
      feeLamports + balances.depositLamports + balances.reserveLamports - balances.balanceLamports,
    );
    const reason = quoteWarning ?? explainRefusal(balances.heldAmount, amount, asset, neededLamports);
    return {
      ready: reason === null,
      reason,
      balanceSol: lamportsToSol(balances.balanceLamports),
      balanceAmount: balances.heldAmount.toString(),
      balanceUsd: fromMicroUsd(computeValueMicroUsd(balances.heldAmount, ASSETS[asset].decimals, prices.usd[asset])),
      neededLamports: Number(neededLamports),
      neededUsd: toMissingUsd(neededLamports, toSolPriceMicroUsd(prices)),
      costs: {
        networkFeeLamports: Number(feeLamports),
        tokenAccountDepositLamports: Number(balances.depositLamports),
        reserveLamports: Number(balances.reserveLamports),
      },
      transactions: [],
    };
  };
  // The sale may cost less than others. It is refused before its quote only if it fails even without a fee.
  if (!buildAnswer(0n).ready) return buildAnswer(typicalFeeLamports);

  const mints = { inputMint: ASSETS[asset].mint, outputMint: ASSETS[into].mint };
  const plan = await planFittingSwap(deps, { ...mints, amount, slippageBps, taker: wallet });
  const quote = toSaleQuote(plan, input, prices);
  if (quote.warning !== null) return buildAnswer(typicalFeeLamports, quote.warning);
  const terms = { ...mints, wallet, inputAmount: amount, minimumOutput: plan.minimumOutputAmount, slippageBps };
  const { networkFeeLamports, ...builtSwap } = await buildVerifiedSwap(
    deps,
    terms,
    dropNeedlessOpenings(plan, balances.openAccounts),
  );
  const sale = buildAnswer(networkFeeLamports);
  const transaction = { asset, inputMint: mints.inputMint, inputAmount: amount.toString(), ...builtSwap, quote };
  return sale.ready ? { ...sale, transactions: [transaction] } : sale;
}

/** Reads what a wallet holds and needs for a sale. @throws AppError upstream_* */
async function readSaleBalances({ rpc }: Deps, wallet: string, asset: TradedAsset, into: SaleTarget) {
  const [soldAddress, boughtAddress] = [asset, into].map((symbol) =>
    deriveAssociatedTokenAddress(wallet, ASSETS[symbol].mint),
  );
  const [[walletAccount, soldAccount, boughtAccount], walletRentLamports, tokenRentLamports] = await Promise.all([
    rpc.readAccounts([wallet, soldAddress!, boughtAddress!]),
    rpc.readRentExemptMinimum(0),
    rpc.readRentExemptMinimum(TOKEN_ACCOUNT_BYTES),
  ]);
  const missingDepositLamports = computeMissingDeposit(boughtAccount ?? null, tokenRentLamports);
  // The rent of the wrapped-SOL account is returned before the runtime checks the wallet's own rent. The wallet
  // therefore needs only the larger of the two.
  const [depositLamports, temporaryRentLamports] =
    into === "SOL" ? [0n, missingDepositLamports] : [missingDepositLamports, 0n];
  return {
    balanceLamports: walletAccount?.lamports ?? 0n,
    /** Base units of the sold asset. */
    heldAmount: soldAccount?.owner === TOKEN_PROGRAM ? readTokenAmount(soldAccount.data) : 0n,
    /** Rent of the token account that must still be opened for the bought asset. */
    depositLamports,
    /** The token account of the bought asset, if it is open already. */
    openAccounts: isOpen(boughtAccount ?? null) ? [boughtAddress!] : [],
    /** SOL that the wallet must hold besides the fee and the deposit, and keeps. */
    reserveLamports: pickLarger(walletRentLamports, temporaryRentLamports),
  };
}

function explainRefusal(heldAmount: bigint, amount: bigint, asset: TradedAsset, neededLamports: bigint): string | null {
  const { decimals } = ASSETS[asset];
  if (heldAmount === 0n) return `The wallet holds no ${asset}.`;
  if (amount > heldAmount) return `The wallet holds only ${toCoins(heldAmount, decimals).toFixed(decimals)} ${asset}.`;
  if (neededLamports === 0n) return null;
  return `The wallet lacks ${lamportsToSol(neededLamports).toFixed(9)} SOL for the network fee and what Solana keeps as a deposit. Add it with a top-up. Withdrawing everything can need less, because it returns the deposits.`;
}
