import bs58 from "bs58";
import type { buildAllowanceContract } from "../contracts/build-allowance";
import type { DataOf, InputOf } from "../contracts/define";
import { RESERVED_SAVINGS } from "../domain/allowance";
import { ASSETS } from "../domain/assets";
import { deriveUsdcAccount } from "../domain/dollar-accounts";
import { orderFeeCollectors } from "../domain/fee-collector";
import { createThroughMark } from "../domain/marks";
import { applyBps, clampToZero, fromMicroUsd, toMicroUsd } from "../domain/money";
import { MINIMUM_FEE_BPS } from "../domain/plans";
import { AppError } from "../errors";
import type { Deps } from "../ports/deps";
import type { BlockhashInfo } from "../ports/solana-rpc";
import { buildSystemTransfer } from "../solana/system-instructions";
import { TOKEN_ACCOUNT_BYTES } from "../solana/token-accounts";
import { buildApproveChecked, buildCreateAssociatedTokenAccount } from "../solana/token-instructions";
import { renewServiceWalletRecord } from "./records/service-wallets";
import { readBudget, readPriority } from "./steps/budget";
import { requireFundedCollector } from "./steps/collectors";
import { refuseWhilePaused } from "./steps/pause";
import { requireUsdcAtParity } from "./steps/prices/read-prices";
import { requireOwnUsdcAccount } from "./steps/saving/allowance";
import { composePlan } from "./steps/saving/compose-plan";
import {
  buildUsdcTransfers,
  mustOpenUsdcAccount,
  refuseInvalidWallets,
  refuseUnlessWallet,
} from "./steps/saving/saving-transfers";

/**
 * Builds the approval of the service wallet as the delegate of the wallet's USDC account, and what the service wallet
 * lacks to save by itself: SOL for network fees, and a USDC account. Never replaces another delegate.
 */
export async function buildAllowance(
  deps: Deps,
  input: InputOf<typeof buildAllowanceContract>,
): Promise<DataOf<typeof buildAllowanceContract>> {
  refuseInvalidWallets(deps, input);
  const { userPubkey, serviceWalletPubkey, amountUsd } = input;
  const collectors = orderFeeCollectors(userPubkey, deps.feeCollectors);
  const tokenAccounts = [userPubkey, serviceWalletPubkey].map(deriveUsdcAccount);
  const [accounts, rentLamports, tokenRentLamports, blockhash, priority] = await Promise.all([
    deps.rpc.readAccounts([userPubkey, serviceWalletPubkey, ...tokenAccounts, ...collectors], {
      firstBytes: TOKEN_ACCOUNT_BYTES,
    }),
    deps.rpc.readRentExemptMinimum(0),
    deps.rpc.readRentExemptMinimum(TOKEN_ACCOUNT_BYTES),
    deps.rpc.readLatestBlockhash(),
    readPriority(deps, [collectors[0]]),
    requireUsdcAtParity(deps),
    refuseWhilePaused(deps, "save"),
    renewServiceWalletRecord(deps, serviceWalletPubkey),
  ]);
  const [userAccount, serviceAccount, usdcAccount, serviceUsdcAccount, ...collectorAccounts] = accounts;
  refuseUnlessWallet(serviceAccount ?? null);
  const mustOpen = mustOpenUsdcAccount(serviceWalletPubkey, serviceUsdcAccount ?? null);
  const { delegate } = requireOwnUsdcAccount(userPubkey, usdcAccount ?? null);
  if (delegate !== null && delegate !== serviceWalletPubkey) refuseDelegate(delegate);

  const feesLamports = RESERVED_SAVINGS * (await readSavingFee(deps, input, collectors[0], blockhash));
  const reserveLamports = clampToZero(rentLamports + feesLamports - (serviceAccount?.lamports ?? 0n));
  const feeCollector =
    reserveLamports === 0n ? null : requireFundedCollector(collectors, collectorAccounts, rentLamports);
  const serviceFeeLamports = applyBps(clampToZero(reserveLamports - rentLamports), MINIMUM_FEE_BPS);
  const depositLamports = mustOpen ? tokenRentLamports : 0n;
  const amount = toMicroUsd(amountUsd);
  const token = { account: tokenAccounts[0]!, owner: userPubkey, ...ASSETS.USDC };
  const opening = { payer: userPubkey, owner: serviceWalletPubkey, mint: ASSETS.USDC.mint };
  const plan = {
    payer: userPubkey,
    instructions: [
      ...(mustOpen ? [buildCreateAssociatedTokenAccount(opening)] : []),
      ...(feeCollector === null
        ? []
        : [
            buildSystemTransfer(userPubkey, feeCollector, serviceFeeLamports),
            buildSystemTransfer(userPubkey, serviceWalletPubkey, reserveLamports),
          ]),
      buildApproveChecked({ ...token, delegate: serviceWalletPubkey, amount }),
    ],
    balanceLamports: userAccount?.lamports ?? 0n,
    paidLamports: reserveLamports + serviceFeeLamports + depositLamports,
    hasTokens: true,
  };
  const composed = await composePlan(deps, plan, { rentLamports, blockhash, priority });
  const { networkFeeLamports, totalLamports, ...answer } = composed;
  return {
    breakdown: {
      amountUsd: fromMicroUsd(amount),
      amountUnits: String(amount),
      reserveLamports: Number(reserveLamports),
      serviceFeeLamports: Number(serviceFeeLamports),
      tokenAccountDepositLamports: Number(depositLamports),
      networkFeeLamports,
      totalLamports,
      feeCollector,
    },
    ...answer,
  };
}

function refuseDelegate(delegate: string): never {
  const message =
    `Something else may already take USDC from this wallet's account: ${delegate}, which may be your subscriptions. ` +
    "An account has one such delegate, so an allowance would end that. Saving with signatures still works.";
  throw new AppError("delegate_exists", { message });
}

const LONGEST_MARK = createThroughMark(bs58.encode(new Uint8Array(64).fill(255)), "");

/** Returns what the network charges for a saving by allowance, lamports, priority included. */
async function readSavingFee(
  deps: Deps,
  wallets: InputOf<typeof buildAllowanceContract>,
  feeCollector: string,
  { blockhash }: BlockhashInfo,
): Promise<bigint> {
  const priority = await readPriority(deps, [deriveUsdcAccount(feeCollector)]);
  // The amounts do not change the fee.
  const amounts = { fee: 1n, investment: 1n };
  const instructions = buildUsdcTransfers({ ...wallets, by: "allowance" }, feeCollector, amounts, LONGEST_MARK);
  // A simulation would fail: the wallet has not approved the service wallet yet.
  const parts = { payer: wallets.serviceWalletPubkey, instructions, blockhash };
  return (await readBudget(deps, parts, priority, -1n)).networkFeeLamports;
}
