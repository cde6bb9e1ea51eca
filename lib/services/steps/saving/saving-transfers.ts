import type { buildWrapContract } from "../../../contracts/build-wrap";
import type { DataOf } from "../../../contracts/define";
import { ASSETS } from "../../../domain/assets";
import type { AccountState } from "../../../domain/chain-accounts";
import { deriveUsdcAccount, isUsdcAccountOf } from "../../../domain/dollar-accounts";
import { orderFeeCollectors } from "../../../domain/fee-collector";
import { formatMark, type Mark } from "../../../domain/marks";
import { computeMaxLamports } from "../../../domain/prices/price-bounds";
import { type RoundUp, type RoundUpTerms, splitFee, splitLamports, toRoundUpFields } from "../../../domain/round-up";
import { AppError } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import type { InstructionLike } from "../../../solana/instructions";
import { buildMemo } from "../../../solana/memo";
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from "../../../solana/programs";
import { buildSystemTransfer } from "../../../solana/system-instructions";
import { readDelegate, readTokenAccount, TOKEN_ACCOUNT_BYTES } from "../../../solana/token-accounts";
import { buildCreateAssociatedTokenAccount, buildTransferChecked } from "../../../solana/token-instructions";
import { renewServiceWalletRecord } from "../../records/service-wallets";
import { readPriority } from "../budget";
import { requireFundedCollector, requireUsdcCollector } from "../collectors";
import { refuseWhilePaused } from "../pause";
import { readSoundSolPrice, requireSoundPrices, requireUsdcAtParity, toSolPriceMicroUsd } from "../prices/read-prices";
import { composePlan, type InstructionPlan, NOTHING_BUILT } from "./compose-plan";

/*
 * Builds the transfers of one saving. A wrap never moves more lamports than the sum of its payments' ceilings at the
 * lowest plausible SOL price. It pays only a plain wallet, and leaves it with the rent-exempt minimum. `affordable` tells
 * whether the payer keeps enough as well.
 */

export type Wrap = DataOf<typeof buildWrapContract>;

export interface WrapWallets {
  userPubkey: string;
  serviceWalletPubkey: string;
  /** Default SOL. */
  payWith?: "SOL" | "USDC" | undefined;
  /** Whether the service wallet signs, by the user's allowance. Only with USDC. */
  by?: "allowance" | undefined;
}

/** The change of one payment, or of several payments together. */
export interface Saving {
  terms: RoundUpTerms;
  valueMicroUsd: bigint;
  roundUp: RoundUp;
  /** Upper limit of what is saved: the sum of the ceilings of all payments. */
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

interface TransferPlan extends InstructionPlan {
  breakdown: Omit<Wrap["breakdown"], "networkFeeLamports" | "totalLamports">;
}

/**
 * Builds the transfers of a saving, the fee included. Returns no instructions if there is nothing to save.
 * @throws AppError invalid_address, allowance_missing, service_not_ready, price_stale, upstream_*
 */
export async function buildSavingTransfers(deps: Deps, wallets: WrapWallets, saving: Saving): Promise<Wrap> {
  const { userPubkey, serviceWalletPubkey } = wallets;
  const collectors = orderFeeCollectors(userPubkey, deps.feeCollectors);
  if (saving.roundUp.skipped) return buildSkippedWrap(deps, saving, collectors[0]);

  const isUsdc = wallets.payWith === "USDC";
  const [plan, rentLamports, blockhash, priority] = await Promise.all([
    (isUsdc ? planUsdcTransfers : planSolTransfers)(deps, wallets, saving, collectors),
    deps.rpc.readRentExemptMinimum(0),
    deps.rpc.readLatestBlockhash(),
    // Of the accounts, users share only the collector. One cached priority fee then serves all its users.
    readPriority(deps, [isUsdc ? deriveUsdcAccount(collectors[0]) : collectors[0]]),
    refuseWhilePaused(deps, "save"),
    renewServiceWalletRecord(deps, serviceWalletPubkey),
  ]);
  const composed = await composePlan(deps, plan, { rentLamports, blockhash, priority });
  const { networkFeeLamports, totalLamports, ...answer } = composed;
  // Not a leading spread, see COMMON_HEADERS in lib/http/respond.ts.
  return { breakdown: { networkFeeLamports, totalLamports, ...plan.breakdown }, ...answer };
}

/** Plans a saving in SOL. @throws AppError invalid_address, service_not_ready, price_stale, upstream_* */
async function planSolTransfers(
  deps: Deps,
  { userPubkey, serviceWalletPubkey }: WrapWallets,
  saving: Saving,
  collectors: readonly string[],
): Promise<TransferPlan> {
  const { terms, roundUp, mark } = saving;
  const [prices, [userAccount, serviceAccount, ...collectorAccounts], rentLamports] = await Promise.all([
    requireSoundPrices(deps),
    deps.rpc.readAccounts([userPubkey, serviceWalletPubkey, ...collectors]),
    deps.rpc.readRentExemptMinimum(0),
  ]);
  refuseUnlessWallet(serviceAccount ?? null);
  const feeCollector = requireFundedCollector(collectors, collectorAccounts, rentLamports);
  const solPriceMicroUsd = toSolPriceMicroUsd(prices);
  const { total, fee, investment } = splitLamports(roundUp.microUsd, terms.feeBps, solPriceMicroUsd);
  if (total > computeMaxLamports(saving.limitMicroUsd, deps.priceBounds)) throw new AppError("price_stale");
  // A new account under the rent-exempt minimum would fail the user's whole transaction.
  const activationLamports = serviceAccount || investment >= rentLamports ? 0n : rentLamports - investment;
  const referenceKey = mark?.kind === "ref" ? mark.key! : undefined;
  return {
    payer: userPubkey,
    // Solana Pay's `validateTransfer` demands the payment as the last instruction, and its memo right before it.
    instructions: [
      buildSystemTransfer(userPubkey, feeCollector, fee),
      ...(mark ? [buildMemo(formatMark(mark), userPubkey)] : []),
      buildSystemTransfer(userPubkey, serviceWalletPubkey, investment + activationLamports, referenceKey),
    ],
    balanceLamports: userAccount?.lamports ?? 0n,
    paidLamports: total + activationLamports,
    hasTokens: true,
    // Keep `feeCollector` before the spread. On Node 20, an object literal that begins with a spread gets its own
    // hidden class (see COMMON_HEADERS in lib/http/respond.ts).
    breakdown: {
      feeCollector,
      ...NOTHING_MOVES,
      ...toRoundUpFields(saving.valueMicroUsd, terms, roundUp, solPriceMicroUsd),
      roundUpLamports: Number(total),
      serviceFeeLamports: Number(fee),
      userInvestmentLamports: Number(investment),
      activationLamports: Number(activationLamports),
    },
  };
}

/**
 * Plans a saving in USDC: one unit for each micro-dollar.
 * @throws AppError invalid_address, allowance_missing, service_not_ready, price_stale, upstream_*
 */
async function planUsdcTransfers(
  deps: Deps,
  wallets: WrapWallets,
  saving: Saving,
  collectors: readonly string[],
): Promise<TransferPlan> {
  const { userPubkey, serviceWalletPubkey, by } = wallets;
  const { terms, roundUp, mark } = saving;
  const payer = by === "allowance" ? serviceWalletPubkey : userPubkey;
  const [source, destination] = [userPubkey, serviceWalletPubkey].map(deriveUsdcAccount) as [string, string];
  const addresses = [payer, serviceWalletPubkey, source, destination, ...collectors.map(deriveUsdcAccount)];
  const [prices, accounts, tokenRentLamports] = await Promise.all([
    requireUsdcAtParity(deps),
    deps.rpc.readAccounts(addresses, { firstBytes: TOKEN_ACCOUNT_BYTES }),
    deps.rpc.readRentExemptMinimum(TOKEN_ACCOUNT_BYTES),
  ]);
  const [payerAccount, serviceAccount, sourceAccount, destinationAccount, ...collectorAccounts] = accounts;
  refuseUnlessWallet(serviceAccount ?? null);
  const mustOpen = mustOpenUsdcAccount(serviceWalletPubkey, destinationAccount ?? null);
  const feeCollector = requireUsdcCollector(collectors, collectorAccounts);
  const { fee, investment } = splitFee(roundUp.microUsd, terms.feeBps);
  const state = sourceAccount?.owner === TOKEN_PROGRAM ? readTokenAccount(sourceAccount.data) : null;
  const allowance = state && readDelegate(sourceAccount!.data);
  if (by === "allowance" && !(allowance?.delegate === payer && allowance.amount >= roundUp.microUsd))
    throw new AppError("allowance_missing");
  const depositLamports = mustOpen ? tokenRentLamports : 0n;
  const opening = buildCreateAssociatedTokenAccount({ payer, owner: serviceWalletPubkey, mint: ASSETS.USDC.mint });
  return {
    payer,
    instructions: [
      ...(mustOpen ? [opening] : []),
      ...buildUsdcTransfers(wallets, feeCollector, { fee, investment }, mark),
    ],
    balanceLamports: payerAccount?.lamports ?? 0n,
    paidLamports: depositLamports,
    hasTokens: state?.owner === userPubkey && !state.isFrozen && state.amount >= roundUp.microUsd,
    breakdown: {
      feeCollector,
      ...toRoundUpFields(saving.valueMicroUsd, terms, roundUp, toSolPriceMicroUsd(prices)),
      ...NOTHING_MOVES,
      roundUpSol: 0,
      serviceFeeSol: 0,
      userInvestmentSol: 0,
      roundUpUnits: Number(roundUp.microUsd),
      serviceFeeUnits: Number(fee),
      userInvestmentUnits: Number(investment),
      tokenAccountDepositLamports: Number(depositLamports),
    },
  };
}

/**
 * Returns whether the service wallet's USDC account is still to be opened.
 * @throws AppError invalid_address if the account cannot take USDC for this wallet alone
 */
export function mustOpenUsdcAccount(serviceWallet: string, account: AccountState | null): boolean {
  // Lamports alone, which anybody can send, do not open an account.
  if (!account || account.owner === SYSTEM_PROGRAM) return true;
  if (isUsdcAccountOf(serviceWallet, account) && readDelegate(account.data) === null) return false;
  throw new AppError("invalid_address", { message: UNUSABLE_ACCOUNT_TEXT });
}

const UNUSABLE_ACCOUNT_TEXT =
  "serviceWalletPubkey: its USDC account belongs to another wallet, is frozen, or lets another wallet take its USDC.";

export function buildUsdcTransfers(
  { userPubkey, serviceWalletPubkey, by }: WrapWallets,
  feeCollector: string,
  { fee, investment }: { fee: bigint; investment: bigint },
  mark: Mark | undefined,
): InstructionLike[] {
  const [source, feeAccount, destination] = [userPubkey, feeCollector, serviceWalletPubkey].map(deriveUsdcAccount);
  const authority = by === "allowance" ? serviceWalletPubkey : userPubkey;
  const token = { source: source!, authority, ...ASSETS.USDC };
  // Nodes find a saving by allowance in its owner's history by the first key, and an order by the second.
  const keys = [...(by === "allowance" ? [userPubkey] : []), ...(mark?.kind === "ref" ? [mark.key!] : [])];
  return [
    buildTransferChecked({ ...token, destination: feeAccount!, amount: fee }),
    ...(mark ? [buildMemo(formatMark(mark), authority)] : []),
    buildTransferChecked({ ...token, destination: destination!, amount: investment }, TOKEN_PROGRAM, keys),
  ];
}

const NOTHING_MOVES = {
  roundUpLamports: 0,
  serviceFeeLamports: 0,
  userInvestmentLamports: 0,
  activationLamports: 0,
  roundUpUnits: 0,
  serviceFeeUnits: 0,
  userInvestmentUnits: 0,
  tokenAccountDepositLamports: 0,
};

/** Refuses an address that a program controls. Funds sent there would be lost. A new account is accepted. */
export function refuseUnlessWallet(serviceAccount: AccountState | null): void {
  if (serviceAccount === null || serviceAccount.owner === SYSTEM_PROGRAM) return;
  throw new AppError("invalid_address", {
    message: "serviceWalletPubkey: that is the address of a token account, a mint or a program, not a wallet.",
  });
}

/** Builds the result of a skipped payment: no transfers, and 0 for every amount in lamports. */
async function buildSkippedWrap(deps: Deps, saving: Saving, feeCollector: string): Promise<Wrap> {
  const { valueMicroUsd, terms, roundUp } = saving;
  const breakdown = {
    feeCollector,
    ...toRoundUpFields(valueMicroUsd, terms, roundUp, await readSoundSolPrice(deps)),
    ...NOTHING_MOVES,
    networkFeeLamports: 0,
    totalLamports: 0,
  };
  return { breakdown, ...NOTHING_BUILT };
}
