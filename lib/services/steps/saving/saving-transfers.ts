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
import { buildBudgetInstructions } from "../../../solana/budget";
import { toBase64 } from "../../../solana/bytes";
import type { InstructionLike } from "../../../solana/instructions";
import { buildMemo } from "../../../solana/memo";
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from "../../../solana/programs";
import { buildSystemTransfer } from "../../../solana/system-instructions";
import { readDelegate, readTokenAccount, TOKEN_ACCOUNT_BYTES } from "../../../solana/token-accounts";
import { buildCreateAssociatedTokenAccount, buildTransferChecked } from "../../../solana/token-instructions";
import { renewServiceWalletRecord } from "../../records/service-wallets";
import { readBudget, readPriority } from "../budget";
import { requireFundedCollector, requireUsdcCollector } from "../collectors";
import { refuseWhilePaused } from "../pause";
import { readSoundSolPrice, requireSoundPrices, requireUsdcAtParity, toSolPriceMicroUsd } from "../prices/read-prices";
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
  /** Default SOL. */
  payWith?: "SOL" | "USDC" | undefined;
  /** Whether the service wallet signs, by the user's allowance. Only with USDC. */
  by?: "allowance" | undefined;
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

/** The transfers of a saving, and what they cost. */
interface TransferPlan {
  /** Signs, and pays the network fee. */
  payer: string;
  instructions: InstructionLike[];
  balanceLamports: bigint;
  /** Lamports that leave the payer, without the network fee. */
  paidLamports: bigint;
  /** Whether the tokens suffice. */
  hasTokens: boolean;
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
  const { payer, instructions, balanceLamports, paidLamports, hasTokens, breakdown } = plan;
  const parts = { payer, instructions, blockhash: blockhash.blockhash };
  const spareLamports = hasTokens ? balanceLamports - paidLamports - rentLamports : -1n;
  const budget = await readBudget(deps, parts, priority, spareLamports);
  const { networkFeeLamports } = budget;
  const costLamports = paidLamports + networkFeeLamports;
  // The runtime checks twice that the payer is rent-exempt or empty: after the network fee, and at the end.
  const hasLamports = [balanceLamports - networkFeeLamports, balanceLamports - costLamports].every(
    (remainder) => remainder === 0n || remainder >= rentLamports,
  );
  const allInstructions = [...buildBudgetInstructions(budget), ...instructions];
  const { transactions, ...validity } = await composeUnique(deps, payer, [allInstructions], blockhash);
  const unsigned = { base64: toBase64(transactions[0]!), ...validity };
  return {
    instructions,
    transaction: unsigned,
    unsigned,
    computeUnits: budget.unitLimit,
    affordable: hasTokens && hasLamports,
    shortOf: !hasTokens ? "USDC" : hasLamports ? null : "SOL",
    breakdown: {
      ...breakdown,
      networkFeeLamports: Number(networkFeeLamports),
      totalLamports: Number(costLamports),
    },
  };
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
  { userPubkey, serviceWalletPubkey, by }: WrapWallets,
  saving: Saving,
  collectors: readonly string[],
): Promise<TransferPlan> {
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
  // Lamports alone, which anybody can send, do not open an account.
  const mustOpen = !destinationAccount || destinationAccount.owner === SYSTEM_PROGRAM;
  const isOwn = mustOpen || isUsdcAccountOf(serviceWalletPubkey, destinationAccount);
  if (!isOwn || readDelegate(destinationAccount?.data ?? NO_DATA) !== null)
    throw new AppError("invalid_address", { message: UNUSABLE_ACCOUNT_TEXT });
  const feeCollector = requireUsdcCollector(collectors, collectorAccounts);
  const { fee, investment } = splitFee(roundUp.microUsd, terms.feeBps);
  const state = sourceAccount?.owner === TOKEN_PROGRAM ? readTokenAccount(sourceAccount.data) : null;
  const allowance = state && readDelegate(sourceAccount!.data);
  if (by === "allowance" && !(allowance?.delegate === payer && allowance.amount >= roundUp.microUsd))
    throw new AppError("allowance_missing");
  const { mint, decimals } = ASSETS.USDC;
  const token = { source, authority: payer, mint, decimals };
  // Nodes find a saving by allowance in its owner's history by the first key, and an order by the second.
  const keys = [...(by === "allowance" ? [userPubkey] : []), ...(mark?.kind === "ref" ? [mark.key!] : [])];
  const depositLamports = mustOpen ? tokenRentLamports : 0n;
  const opening = buildCreateAssociatedTokenAccount({ payer, owner: serviceWalletPubkey, mint });
  return {
    payer,
    instructions: [
      ...(mustOpen ? [opening] : []),
      buildTransferChecked({ ...token, destination: deriveUsdcAccount(feeCollector), amount: fee }),
      ...(mark ? [buildMemo(formatMark(mark), payer)] : []),
      buildTransferChecked({ ...token, destination, amount: investment }, TOKEN_PROGRAM, keys),
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

const NO_DATA = new Uint8Array();
const UNUSABLE_ACCOUNT_TEXT =
  "serviceWalletPubkey: its USDC account belongs to another wallet, is frozen, or lets another wallet take its USDC.";

/** The members of a breakdown for what does not move. */
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
    shortOf: null,
    breakdown: {
      feeCollector,
      ...toRoundUpFields(valueMicroUsd, terms, roundUp, await readSoundSolPrice(deps)),
      ...NOTHING_MOVES,
      networkFeeLamports: 0,
      totalLamports: 0,
    },
  };
}
