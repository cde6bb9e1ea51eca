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
import { BASE_FEE_LAMPORTS } from "../solana/fees";
import { TOKEN_PROGRAM } from "../solana/programs";
import { readTokenAmount, TOKEN_ACCOUNT_BYTES } from "../solana/token-accounts";
import { deriveAssociatedTokenAddress } from "../solana/token-instructions";
import { requireSoundPrices, toSolPriceMicroUsd } from "./steps/prices/read-prices";
import { toSaleQuote } from "./steps/swap/quote";
import { buildVerifiedSwap, planFittingSwap } from "./steps/swap/swap-transaction";
import { computeMissingDeposit } from "./steps/swap/swappable";

type Input = InputOf<typeof buildSaleContract>;
type Sale = DataOf<typeof buildSaleContract>;

/**
 * Builds the sale of an asset. Selling is never paused, so that users can always get their SOL back.
 * @throws AppError wallet_not_allowed, price_stale, no_route, simulation_failed, upstream_*
 */
export async function buildSale(deps: Deps, input: Input): Promise<Sale> {
  const { serviceWalletPubkey: wallet, asset, into, slippageBps = DEFAULT_SLIPPAGE_BPS } = input;
  if (deps.feeCollectors.includes(wallet)) throw new AppError("wallet_not_allowed");
  const [prices, balances] = await Promise.all([
    requireSoundPrices(deps, [asset, into]),
    readSaleBalances(deps, wallet, asset, into),
  ]);
  const amount = input.amount === undefined ? balances.held : BigInt(input.amount);
  const toSale = (networkFee: bigint, why: string | null = null): Sale => {
    const needed = clampToZero(networkFee + balances.deposit + balances.reserve - balances.balance);
    const reason = why ?? explainRefusal(balances.held, amount, asset, needed);
    return {
      ready: reason === null,
      reason,
      balanceSol: lamportsToSol(balances.balance),
      balanceAmount: balances.held.toString(),
      balanceUsd: fromMicroUsd(computeValueMicroUsd(balances.held, ASSETS[asset].decimals, prices.usd[asset])),
      neededLamports: Number(needed),
      neededUsd: toMissingUsd(needed, toSolPriceMicroUsd(prices)),
      costs: {
        networkFeeLamports: Number(networkFee),
        tokenAccountDepositLamports: Number(balances.deposit),
        reserveLamports: Number(balances.reserve),
      },
      transactions: [],
    };
  };
  const first = toSale(BASE_FEE_LAMPORTS);
  if (!first.ready) return first;

  const pair = { inputMint: ASSETS[asset].mint, outputMint: ASSETS[into].mint };
  const plan = await planFittingSwap(deps, { ...pair, amount, slippageBps, taker: wallet });
  const quote = toSaleQuote(plan, input, prices);
  if (quote.warning !== null) return toSale(BASE_FEE_LAMPORTS, quote.warning);
  const terms = { ...pair, wallet, inputAmount: amount, minimumOutput: plan.minimumOutputAmount, slippageBps };
  const { networkFeeLamports, ...built } = await buildVerifiedSwap(deps, terms, plan);
  const sale = toSale(networkFeeLamports);
  const transaction = { asset, inputMint: pair.inputMint, inputAmount: amount.toString(), ...built, quote };
  return sale.ready ? { ...sale, transactions: [transaction] } : sale;
}

/** A wallet's balances for a sale, lamports except for `held`. */
interface SaleBalances {
  balance: bigint;
  /** Base units of the sold asset. */
  held: bigint;
  /** Rent of the token account that must still be opened for the bought asset. */
  deposit: bigint;
  /** Lamports that must be available besides the fee and the deposit, and that stay in the wallet. */
  reserve: bigint;
}

async function readSaleBalances(
  { rpc }: Deps,
  wallet: string,
  asset: TradedAsset,
  into: SaleTarget,
): Promise<SaleBalances> {
  const [source, destination] = [asset, into].map((symbol) =>
    deriveAssociatedTokenAddress(wallet, ASSETS[symbol].mint),
  );
  const [[account, sold, bought], walletRent, tokenRent] = await Promise.all([
    rpc.readAccounts([wallet, source!, destination!]),
    rpc.readRentExemptMinimum(0),
    rpc.readRentExemptMinimum(TOKEN_ACCOUNT_BYTES),
  ]);
  const opening = computeMissingDeposit(bought ?? null, tokenRent);
  // The rent of wrapped SOL is returned before the runtime checks the wallet's own rent, so only the larger of both is
  // needed.
  const [deposit, temporary] = into === "SOL" ? [0n, opening] : [opening, 0n];
  return {
    balance: account?.lamports ?? 0n,
    held: sold?.owner === TOKEN_PROGRAM ? readTokenAmount(sold.data) : 0n,
    deposit,
    reserve: pickLarger(walletRent, temporary),
  };
}

function explainRefusal(held: bigint, amount: bigint, asset: TradedAsset, needed: bigint): string | null {
  const { decimals } = ASSETS[asset];
  if (held === 0n) return `The wallet holds no ${asset}.`;
  if (amount > held) return `The wallet holds only ${toCoins(held, decimals).toFixed(decimals)} ${asset}.`;
  if (needed === 0n) return null;
  return `The wallet lacks ${lamportsToSol(needed).toFixed(9)} SOL for the network fee and what Solana keeps as a deposit. Add it with a top-up, or withdraw everything as it is: that returns the deposits.`;
}
