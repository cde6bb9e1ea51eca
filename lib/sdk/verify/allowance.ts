import type { buildAllowanceContract } from "../../contracts/build-allowance";
import type { buildRevocationContract } from "../../contracts/build-revocation";
import type { DataOf } from "../../contracts/define";
import { computeMaxReserve } from "../../domain/allowance";
import { ASSETS } from "../../domain/assets";
import { deriveUsdcAccount } from "../../domain/dollar-accounts";
import { applyBps, toMicroUsd } from "../../domain/money";
import { assertAsShown } from "../../domain/not-as-shown";
import { MINIMUM_FEE_BPS } from "../../domain/plans";
import { computeMaxDeposit, requireAccountOpening, requireInMessage } from "../../domain/transaction-check";
import type { DecodedInstruction } from "../../solana/instructions";
import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from "../../solana/programs";
import { readSystemTransfer } from "../../solana/system-instructions";
import { readApproveChecked, readRevoke } from "../../solana/token-instructions";
import { readOnlyTransaction } from "./wrap";

type AllowanceAnswer = DataOf<typeof buildAllowanceContract>;
type RevocationAnswer = DataOf<typeof buildRevocationContract>;

/** The allowance that the user requested. Use the user's own inputs; never copy them from the response. */
export interface RequestedAllowance {
  /** The user's wallet, which pays and signs. */
  wallet: string;
  /** The service wallet, derived locally. */
  serviceWallet: string;
  /** The most that the service wallet may take, in USDC. */
  amountUsd: number;
}

/** What an allowance costs, as read from its bytes; lamports. */
export interface AllowanceFigures {
  /** What the service wallet gets for network fees and to stay open; it belongs to the user. */
  reserveLamports: bigint;
  serviceFeeLamports: bigint;
  /** The most that the opening of the service wallet's USDC account costs; it belongs to the user. */
  tokenAccountDepositLamports: bigint;
  /** The network fee that the service read from a node. The bytes bound it. */
  networkFeeLamports: bigint;
  totalLamports: bigint;
}

/**
 * Verifies that a transaction lets the service wallet take the requested USDC, and does nothing else besides opening the
 * service wallet's USDC account and giving it SOL for network fees. @throws {NotAsShown}
 */
export function verifyAllowance(
  build: Pick<AllowanceAnswer, "transaction" | "unsigned" | "breakdown">,
  { wallet, serviceWallet, amountUsd }: RequestedAllowance,
): AllowanceFigures {
  const { breakdown } = build;
  const instructions = readOnlyTransaction(build, wallet);
  const approval = instructions.at(-1);
  assertAsShown(approval !== undefined, "unknown_instruction");
  checkApproval(approval, wallet, serviceWallet, toMicroUsd(amountUsd));
  assertAsShown(breakdown.amountUsd === amountUsd, "not_asked_for");
  assertAsShown(BigInt(breakdown.amountUnits) === toMicroUsd(amountUsd), "other_amount");

  const others = instructions.slice(0, -1);
  const openings = others.filter(({ program }) => program === ASSOCIATED_TOKEN_PROGRAM);
  assertAsShown(openings.length <= 1, "unknown_instruction");
  for (const opening of openings)
    requireAccountOpening(opening, wallet, serviceWallet, [deriveUsdcAccount(serviceWallet)]);
  const shownDeposit = BigInt(breakdown.tokenAccountDepositLamports);
  const maxDeposit = computeMaxDeposit(openings);
  assertAsShown(shownDeposit <= maxDeposit, "other_amount");

  const transfers = others.filter((instruction) => !openings.includes(instruction));
  const { reserveLamports, serviceFeeLamports } = readReserve(transfers, wallet, serviceWallet, breakdown.feeCollector);
  assertAsShown(BigInt(breakdown.reserveLamports) === reserveLamports, "other_amount");
  assertAsShown(BigInt(breakdown.serviceFeeLamports) === serviceFeeLamports, "other_amount");
  const networkFeeLamports = BigInt(breakdown.networkFeeLamports);
  const costLamports = reserveLamports + serviceFeeLamports + networkFeeLamports;
  assertAsShown(BigInt(breakdown.totalLamports) === costLamports + shownDeposit, "total");
  // The bytes do not show whether the account exists, so a review shows the most that its opening can cost.
  const tokenAccountDepositLamports = maxDeposit;
  const totalLamports = costLamports + maxDeposit;
  return { reserveLamports, serviceFeeLamports, tokenAccountDepositLamports, networkFeeLamports, totalLamports };
}

/** Verifies that a transaction does nothing but remove the delegate of the wallet's USDC account. @throws {NotAsShown} */
export function verifyRevocation(
  build: Pick<RevocationAnswer, "transaction" | "unsigned" | "breakdown">,
  wallet: string,
): { networkFeeLamports: bigint } {
  const [revocation, ...others] = readOnlyTransaction(build, wallet);
  const revoked = revocation && readRevoke(revocation);
  assertAsShown(!!revoked && others.length === 0 && revoked.program === TOKEN_PROGRAM, "unknown_instruction");
  assertAsShown(requireInMessage(revoked.account) === deriveUsdcAccount(wallet), "foreign_account");
  assertAsShown(requireInMessage(revoked.owner) === wallet, "other_signer");
  const { networkFeeLamports, totalLamports } = build.breakdown;
  assertAsShown(networkFeeLamports === totalLamports, "total");
  return { networkFeeLamports: BigInt(networkFeeLamports) };
}

function checkApproval(approval: DecodedInstruction, wallet: string, serviceWallet: string, amount: bigint): void {
  const approved = readApproveChecked(approval);
  assertAsShown(approved !== null, "unknown_instruction");
  const { mint, decimals } = ASSETS.USDC;
  const isUsdc = approved.program === TOKEN_PROGRAM && approved.mint === mint && approved.decimals === decimals;
  assertAsShown(isUsdc, "other_token");
  assertAsShown(requireInMessage(approved.account) === deriveUsdcAccount(wallet), "foreign_account");
  assertAsShown(requireInMessage(approved.delegate) === serviceWallet, "other_wallet");
  assertAsShown(requireInMessage(approved.owner) === wallet, "other_signer");
  assertAsShown(approved.amount === amount, "not_asked_for");
}

/** Reads the fee and the reserve: one transfer to the fee collector, then one to the service wallet, or neither. */
function readReserve(
  transfers: readonly DecodedInstruction[],
  wallet: string,
  serviceWallet: string,
  feeCollector: string | null,
) {
  if (transfers.length === 0) return { reserveLamports: 0n, serviceFeeLamports: 0n };
  const [fee, reserve, ...others] = transfers.map((instruction) => {
    const transfer = readSystemTransfer(instruction);
    const isOwn = instruction.program === SYSTEM_PROGRAM && transfer !== null;
    assertAsShown(isOwn && requireInMessage(transfer.from) === wallet, "unknown_instruction");
    return { to: requireInMessage(transfer.to), lamports: transfer.lamports };
  });
  assertAsShown(fee !== undefined && reserve !== undefined && others.length === 0, "unknown_instruction");
  assertAsShown(reserve.to === serviceWallet, "other_wallet");
  assertAsShown(fee.to === feeCollector && ![wallet, serviceWallet].includes(fee.to), "sol_elsewhere");
  // Whatever the service says that the network charges.
  assertAsShown(reserve.lamports <= computeMaxReserve(), "too_much_sol");
  assertAsShown(fee.lamports <= applyBps(reserve.lamports, MINIMUM_FEE_BPS), "fee_too_high");
  return { reserveLamports: reserve.lamports, serviceFeeLamports: fee.lamports };
}
