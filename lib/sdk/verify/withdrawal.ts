import type { buildWithdrawContract } from "../../contracts/build-withdraw";
import type { DataOf } from "../../contracts/define";
import { ASSETS, findAssetByMint, findKnownTokenByMint, type KnownToken, toTokenSymbol } from "../../domain/assets";
import { assertAsShown } from "../../domain/not-as-shown";
import {
  checkBudget,
  computeMaxDeposit,
  decodeBuiltTransaction,
  type NetworkFeeBounds,
  requireAccountClosing,
  requireAccountOpening,
  requireInMessage,
  requireModestUnitLimit,
  requireOnlySigner,
  requireShownNetworkFee,
} from "../../domain/transaction-check";
import type { DecodedInstruction } from "../../solana/instructions";
import {
  ASSOCIATED_TOKEN_PROGRAM,
  NATIVE_MINT,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from "../../solana/programs";
import type { TransactionContents } from "../../solana/read-transaction";
import { readSystemTransfer } from "../../solana/system-instructions";
import { deriveAssociatedTokenAddress, readTransferChecked } from "../../solana/token-instructions";

type WithdrawBuild = DataOf<typeof buildWithdrawContract>;
type WithdrawnAsset = WithdrawBuild["transactions"][number]["assets"][number];

export interface RequestedWithdrawal {
  /** The service wallet, derived locally. */
  wallet: string;
  destination: string;
  /** Null withdraws everything. */
  asset: KnownToken | null;
  /** Maximum in base units; null withdraws the whole balance. */
  amountBaseUnits: string | null;
  /** If true, the withdrawal may send only supported assets and dollar tokens. */
  keepsRentMinimum?: boolean;
}

/** A withdrawal transaction as read from its bytes. */
export interface VerifiedWithdrawal extends NetworkFeeBounds {
  /** Base units sent, by mint; native SOL has the key "SOL". */
  sent: ReadonlyMap<string, bigint>;
  /** The most that the opened token accounts cost. Their owner gets it back by closing them. */
  maxDepositLamports: bigint;
}

const ALLOWED_PROGRAMS = new Set([SYSTEM_PROGRAM, TOKEN_PROGRAM, TOKEN_2022_PROGRAM, ASSOCIATED_TOKEN_PROGRAM]);

/**
 * Verifies that the transactions of a build send only requested assets, in the shown amounts and only to the requested
 * destination. It allows a fixed set of programs, so every transfer is visible in the bytes. @throws {NotAsShown}
 */
export function verifyWithdrawal(build: WithdrawBuild, request: RequestedWithdrawal): VerifiedWithdrawal[] {
  assertAsShown(build.destination === request.destination, "not_asked_for");
  const verified = build.transactions.map(({ transaction, unsigned, assets }): VerifiedWithdrawal => {
    assertAsShown(unsigned.base64 === transaction, "two_transactions");
    const built = decodeBuiltTransaction(transaction);
    requireModestUnitLimit(built);
    const transfers = sumTransfers(built, request);
    const shownAssets = new Map(assets.map((asset) => [asset.symbol === "SOL" ? "SOL" : asset.mint, asset]));
    assertAsShown(transfers.size === shownAssets.size && shownAssets.size === assets.length, "other_amount");
    const sent = new Map<string, bigint>();
    for (const [key, { amount, decimals }] of transfers) {
      requireShownTransfer(key, shownAssets.get(key), amount, decimals);
      sent.set(key, amount);
    }
    const { lowestFeeLamports, highestFeeLamports, instructions } = built;
    return { sent, lowestFeeLamports, highestFeeLamports, maxDepositLamports: computeMaxDeposit(instructions) };
  });
  const sums = new Map<string, bigint>();
  for (const [key, amount] of verified.flatMap(({ sent }) => [...sent])) sums.set(key, (sums.get(key) ?? 0n) + amount);
  requireRequestedAssets(sums, request);
  requireShownNetworkFee(verified, build.costs.networkFeeLamports);
  const shownLamports = build.receivedLamports ? BigInt(build.receivedLamports) : undefined;
  assertAsShown(sums.get("SOL") === shownLamports, "other_amount");
  return verified;
}

function requireShownTransfer(key: string, asset: WithdrawnAsset | undefined, amount: bigint, decimals: number): void {
  assertAsShown(asset !== undefined && BigInt(asset.amount) === amount, "other_amount");
  const symbol = key === "SOL" ? "SOL" : toTokenSymbol(asset.mint);
  assertAsShown(asset.symbol === symbol && asset.asset === findAssetByMint(asset.mint), "other_token");
  assertAsShown(asset.decimals === decimals, "other_token");
}

/** @param sums base units by mint; lamports have the key "SOL" */
function requireRequestedAssets(sums: Map<string, bigint>, request: RequestedWithdrawal): void {
  const { asset, amountBaseUnits, keepsRentMinimum } = request;
  for (const key of sums.keys()) {
    const sentToken = key === "SOL" ? "SOL" : findKnownTokenByMint(key);
    assertAsShown(asset === null ? !keepsRentMinimum || sentToken !== null : sentToken === asset, "not_asked_for");
  }
  if (asset === null || amountBaseUnits === null) return;
  const total = [...sums.values()].reduce((sum, amount) => sum + amount, 0n);
  assertAsShown(total <= BigInt(amountBaseUnits), "other_amount");
}

/** Sums the transfers of one transaction in base units, by mint; lamports have the key "SOL". @throws {NotAsShown} */
function sumTransfers(built: TransactionContents, { wallet, destination }: RequestedWithdrawal) {
  requireOnlySigner(built, wallet);
  const instructions = checkBudget(built);
  const sums = new Map<string, { amount: bigint; decimals: number }>();
  // A token account may be created only if a transfer sends tokens to it.
  const receivingAccounts = instructions.flatMap((instruction) => readTransferChecked(instruction)?.destination ?? []);
  for (const instruction of instructions) {
    assertAsShown(ALLOWED_PROGRAMS.has(instruction.program), "unknown_program");
    if (instruction.program === ASSOCIATED_TOKEN_PROGRAM) {
      requireAccountOpening(instruction, wallet, destination, receivingAccounts);
      continue;
    }
    const readTransfer = instruction.program === SYSTEM_PROGRAM ? readSolTransfer : readTokenTransfer;
    const transfer = readTransfer(instruction, wallet, destination);
    if (!transfer) continue;
    const { key, amount, decimals } = transfer;
    // A transfer of zero tokens would justify creating an account that stays empty.
    assertAsShown(amount > 0n, "unknown_instruction");
    sums.set(key, { amount: (sums.get(key)?.amount ?? 0n) + amount, decimals });
  }
  return sums;
}

/** Reads a transfer of SOL. @throws {NotAsShown} unless it goes from the wallet to the destination */
function readSolTransfer(instruction: DecodedInstruction, wallet: string, destination: string) {
  const transfer = readSystemTransfer(instruction);
  assertAsShown(transfer !== null && requireInMessage(transfer.from) === wallet, "unknown_instruction");
  assertAsShown(requireInMessage(transfer.to) === destination, "sol_elsewhere");
  return { key: "SOL", amount: transfer.lamports, decimals: ASSETS.SOL.decimals };
}

/** Returns null when the instruction closes an account, which is how wrapped SOL leaves. @throws {NotAsShown} */
function readTokenTransfer(instruction: DecodedInstruction, wallet: string, destination: string) {
  const transfer = readTransferChecked(instruction);
  if (!transfer) {
    requireAccountClosing(instruction, wallet);
    return null;
  }
  const { mint, program, amount, decimals } = transfer;
  assertAsShown(mint !== NATIVE_MINT && requireInMessage(transfer.authority) === wallet, "unknown_instruction");
  const account = deriveAssociatedTokenAddress(destination, mint, program);
  assertAsShown(requireInMessage(transfer.destination) === account, "tokens_elsewhere");
  return { key: mint, amount, decimals };
}
