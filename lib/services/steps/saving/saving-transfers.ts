import type { buildWrapContract } from "../../../contracts/build-wrap";
import type { DataOf } from "../../../contracts/define";
import type { AccountState } from "../../../domain/chain-accounts";
import { orderFeeCollectors } from "../../../domain/fee-collector";
import { formatMark, type Mark } from "../../../domain/marks";
import { computeMaxLamports } from "../../../domain/prices/price-bounds";
import { type RoundUp, type RoundUpTerms, splitLamports, toRoundUpFields } from "../../../domain/round-up";
import { AppError } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import { buildBudgetInstructions } from "../../../solana/budget";
import { toBase64 } from "../../../solana/bytes";
import { buildMemo } from "../../../solana/memo";
import { SYSTEM_PROGRAM } from "../../../solana/programs";
import { buildSystemTransfer } from "../../../solana/system-instructions";
import { renewServiceWalletRecord } from "../../records/service-wallets";
import { readBudget, readPriority } from "../budget";
import { requireFundedCollector } from "../collectors";
import { refuseWhilePaused } from "../pause";
import { readSoundSolPrice, requireSoundPrices, toSolPriceMicroUsd } from "../prices/read-prices";
import { composeUnique } from "../relay/compose-unique";

/*
 * Builds the transfers of one saving.
 *
 * The problem: a wrong price, an unfunded account or a wrong address would cost the user money or fail the whole
 * transaction.
 * The invariant: a wrap never moves more lamports than the sum of its purchases' ceilings at the lowest plausible SOL
 * price. It pays only a plain wallet, and leaves it with the rent-exempt minimum. `affordable` tells whether the payer
 * keeps enough as well.
 * How it is kept: requireSoundPrices refuses stale prices, and a total above the ceilings is refused. The service
 * wallet must be a plain wallet. A new service wallet gets the missing rent on top. The first funded collector takes
 * the fee.
 * Example: a $4.63 purchase rounds up by $0.37. At $100 per SOL that is 3,700,000 lamports, the fee included. If the
 * feed wrongly says $0.01 per SOL, it would be 37 SOL, and the build is refused with `price_stale`.
 */

export type Wrap = DataOf<typeof buildWrapContract>;

export interface WrapWallets {
  userPubkey: string;
  serviceWalletPubkey: string;
}

/** The round-up of one purchase, or of several purchases together. */
export interface Saving {
  terms: RoundUpTerms;
  /** Value of all purchases together. */
  valueMicroUsd: bigint;
  roundUp: RoundUp;
  /** Upper limit of what is saved: the sum of the ceilings of all purchases. */
  limitMicroUsd: bigint;
  /** The memo that the transaction carries. The last transfer also lists the key of a reference as an account. */
  mark?: Mark | undefined;
}

/**
 * Refuses two equal wallets, and a wallet that is a fee collector.
 * @throws AppError wallets_equal, wallet_not_allowed
 */
export function refuseInvalidWallets({ feeCollectors }: Deps, { userPubkey, serviceWalletPubkey }: WrapWallets): void {
  if (userPubkey === serviceWalletPubkey) throw new AppError("wallets_equal");
  if (feeCollectors.includes(userPubkey) || feeCollectors.includes(serviceWalletPubkey)) {
    throw new AppError("wallet_not_allowed");
  }
}

/**
 * Builds the transfers of a saving, the fee included. Returns no instructions if there is nothing to save.
 * @throws AppError invalid_address, service_not_ready, price_stale, upstream_*
 */
export async function buildSavingTransfers(deps: Deps, wallets: WrapWallets, saving: Saving): Promise<Wrap> {
  const { userPubkey, serviceWalletPubkey } = wallets;
  const { terms, valueMicroUsd, roundUp } = saving;
  const collectors = orderFeeCollectors(userPubkey, deps.feeCollectors);
  if (roundUp.skipped) return buildSkippedWrap(deps, saving, collectors[0]);

  const [prices, [userAccount, serviceAccount, ...collectorAccounts], rentLamports, blockhash, priority] =
    await Promise.all([
      requireSoundPrices(deps),
      deps.rpc.readAccounts([userPubkey, serviceWalletPubkey, ...collectors]),
      deps.rpc.readRentExemptMinimum(0),
      deps.rpc.readLatestBlockhash(),
      // Of the accounts, users share only the collector. One cached priority fee then serves all its users.
      readPriority(deps, [collectors[0]]),
      refuseWhilePaused(deps, "save"),
      renewServiceWalletRecord(deps, serviceWalletPubkey),
    ]);
  refuseUnlessWallet(serviceAccount ?? null);
  const feeCollector = requireFundedCollector(collectors, collectorAccounts, rentLamports);
  const solPriceMicroUsd = toSolPriceMicroUsd(prices);
  const {
    total: totalLamports,
    fee: feeLamports,
    investment: investmentLamports,
  } = splitLamports(roundUp.microUsd, terms.feeBps, solPriceMicroUsd);
  if (totalLamports > computeMaxLamports(saving.limitMicroUsd, deps.priceBounds)) throw new AppError("price_stale");
  // A new account under the rent-exempt minimum would fail the user's whole transaction.
  const activationLamports =
    serviceAccount || investmentLamports >= rentLamports ? 0n : rentLamports - investmentLamports;
  const balanceLamports = userAccount?.lamports ?? 0n;
  const referenceKey = saving.mark?.kind === "ref" ? saving.mark.key! : undefined;
  // Solana Pay's `validateTransfer` demands the payment as the last instruction, and its memo right before it.
  const instructions = [
    buildSystemTransfer(userPubkey, feeCollector, feeLamports),
    ...(saving.mark ? [buildMemo(formatMark(saving.mark), userPubkey)] : []),
    buildSystemTransfer(userPubkey, serviceWalletPubkey, investmentLamports + activationLamports, referenceKey),
  ];
  const paidLamports = totalLamports + activationLamports;
  const parts = { payer: userPubkey, instructions, blockhash: blockhash.blockhash };
  const budget = await readBudget(deps, parts, priority, balanceLamports - paidLamports - rentLamports);
  const { networkFeeLamports } = budget;
  const costLamports = paidLamports + networkFeeLamports;
  const allInstructions = [...buildBudgetInstructions(budget), ...instructions];
  const { transactions, ...validity } = await composeUnique(deps, userPubkey, [allInstructions], blockhash);
  const unsigned = { base64: toBase64(transactions[0]!), ...validity };
  return {
    instructions,
    transaction: unsigned,
    unsigned,
    computeUnits: budget.unitLimit,
    // The runtime checks twice that the payer is rent-exempt or empty: after the network fee, and at the end.
    affordable: [balanceLamports - networkFeeLamports, balanceLamports - costLamports].every(
      (remainder) => remainder === 0n || remainder >= rentLamports,
    ),
    // Keep `feeCollector` before the spread. On Node 20, an object literal that begins with a spread gets its own
    // hidden class (see COMMON_HEADERS in lib/http/respond.ts).
    breakdown: {
      feeCollector,
      ...toRoundUpFields(valueMicroUsd, terms, roundUp, solPriceMicroUsd),
      roundUpLamports: Number(totalLamports),
      serviceFeeLamports: Number(feeLamports),
      userInvestmentLamports: Number(investmentLamports),
      activationLamports: Number(activationLamports),
      networkFeeLamports: Number(networkFeeLamports),
      totalLamports: Number(costLamports),
    },
  };
}

/** Refuses an address that a program controls. Funds sent there would be lost. A new account is accepted. */
function refuseUnlessWallet(serviceAccount: AccountState | null): void {
  if (serviceAccount === null || serviceAccount.owner === SYSTEM_PROGRAM) return;
  throw new AppError("invalid_address", {
    message: "serviceWalletPubkey: that is the address of a token account, a mint or a program, not a wallet.",
  });
}

/** Builds the result of a skipped round-up: no transfers, and 0 for every amount in lamports. */
async function buildSkippedWrap(deps: Deps, saving: Saving, feeCollector: string): Promise<Wrap> {
  const { valueMicroUsd, terms, roundUp } = saving;
  return {
    instructions: [],
    transaction: null,
    unsigned: null,
    computeUnits: 0,
    affordable: true,
    breakdown: {
      feeCollector,
      ...toRoundUpFields(valueMicroUsd, terms, roundUp, await readSoundSolPrice(deps)),
      roundUpLamports: 0,
      serviceFeeLamports: 0,
      userInvestmentLamports: 0,
      activationLamports: 0,
      networkFeeLamports: 0,
      totalLamports: 0,
    },
  };
}
