import { computeMaxUnits } from "../solana/budget";
import { MAX_PRIORITY_FEE_LAMPORTS, readUnitLimit, readUnitPrice } from "../solana/compute-budget";
import type { DecodedInstruction } from "../solana/instructions";
import { COMPUTE_BUDGET_PROGRAM, TOKEN_PROGRAM } from "../solana/programs";
import { readTransaction, type TransactionContents } from "../solana/read-transaction";
import { computeHighestRent } from "../solana/rent";
import { LARGEST_TOKEN_ACCOUNT_BYTES, TOKEN_ACCOUNT_BYTES } from "../solana/token-accounts";
import { readCloseAccount, readOpenAccount } from "../solana/token-instructions";
import { assertAsShown, NotAsShown } from "./not-as-shown";

/* Rules for every transaction built for a wallet. Every function throws NotAsShown when the rule is broken. */

/** Decodes a transaction. @param transaction base64 */
export function decodeBuiltTransaction(transaction: string): TransactionContents {
  try {
    return readTransaction(transaction);
  } catch {
    throw new NotAsShown("unreadable");
  }
}

/** Requires the wallet to be the fee payer and the only signer. */
export function requireOnlySigner({ signers }: TransactionContents, wallet: string): void {
  assertAsShown(signers.length === 1 && signers[0] === wallet, "other_signer");
}

/**
 * Checks the compute budget and returns all other instructions. Accepts at most one unit limit and one unit price. The
 * priority fee must not exceed the most that this service ever builds into a transaction.
 */
export function checkBudget({ instructions, priorityFeeLamports }: TransactionContents): DecodedInstruction[] {
  const budgetInstructions = instructions.filter(({ program }) => program === COMPUTE_BUDGET_PROGRAM);
  const unitLimits = budgetInstructions.filter((instruction) => readUnitLimit(instruction) !== null);
  const unitPrices = budgetInstructions.filter((instruction) => readUnitPrice(instruction) !== null);
  assertAsShown(unitLimits.length <= 1 && unitPrices.length <= 1, "unknown_instruction");
  assertAsShown(unitLimits.length + unitPrices.length === budgetInstructions.length, "unknown_instruction");
  assertAsShown(priorityFeeLamports <= MAX_PRIORITY_FEE_LAMPORTS, "network_fee");
  return instructions.filter((instruction) => !budgetInstructions.includes(instruction));
}

/** Requires a transaction to ask for no more units than its instructions can use. */
export function requireModestUnitLimit({ unitLimit, instructions }: TransactionContents): void {
  const programs = instructions.map(({ program }) => program).filter((program) => program !== COMPUTE_BUDGET_PROGRAM);
  assertAsShown(unitLimit <= computeMaxUnits(programs), "network_fee");
}

/**
 * Checks the network fee that is shown for some transactions. The bytes do not tell how the network charges, but they
 * bound the fee: from what the lowest fee model takes to what the highest one takes for all that the bytes ask for.
 */
export function requireShownNetworkFee(transactions: readonly NetworkFeeBounds[], shownLamports: number): void {
  const sumMember = (name: keyof NetworkFeeBounds) => transactions.reduce((sum, bounds) => sum + bounds[name], 0n);
  const shown = BigInt(shownLamports);
  assertAsShown(sumMember("lowestFeeLamports") <= shown && shown <= sumMember("highestFeeLamports"), "network_fee");
}

export type NetworkFeeBounds = Pick<TransactionContents, "lowestFeeLamports" | "highestFeeLamports">;

/**
 * Requires an account to be in the message itself, and returns it. Refuses an account from a lookup table, because the
 * bytes do not show its address.
 */
export function requireInMessage(account: string | null | undefined): string {
  assertAsShown(typeof account === "string", "hidden_account");
  return account;
}

/**
 * Checks that an instruction opens one of the `expectedAccounts` for this owner, paid by `payer`. The associated token
 * account program verifies that the address matches owner, mint and token program. The mint may therefore be in a
 * lookup table when the address is an expected one.
 */
export function requireAccountOpening(
  instruction: DecodedInstruction,
  payer: string,
  owner: string,
  expectedAccounts: readonly string[],
): void {
  const opened = readOpenAccount(instruction);
  assertAsShown(opened !== null, "unknown_instruction");
  assertAsShown(
    requireInMessage(opened.payer) === payer && requireInMessage(opened.owner) === owner,
    "foreign_account",
  );
  assertAsShown(expectedAccounts.includes(requireInMessage(opened.account)), "foreign_account");
}

/**
 * Returns the most that the token accounts cost which a transaction opens and leaves open, in lamports. The bytes do not
 * show whether an account exists already, so the deposit may be less.
 */
export function computeMaxDeposit(instructions: readonly DecodedInstruction[]): bigint {
  const depositByAccount = new Map<string | null, bigint>();
  for (const instruction of instructions) {
    const opened = readOpenAccount(instruction);
    const dataBytes = opened?.tokenProgram === TOKEN_PROGRAM ? TOKEN_ACCOUNT_BYTES : LARGEST_TOKEN_ACCOUNT_BYTES;
    if (opened) depositByAccount.set(opened.account, computeHighestRent(BigInt(dataBytes)));
    const closed = readCloseAccount(instruction);
    if (closed) depositByAccount.delete(closed.account);
  }
  return [...depositByAccount.values()].reduce((sum, lamports) => sum + lamports, 0n);
}

/** Checks that the wallet owns the account to close and receives its lamports. @returns the closed account */
export function requireAccountClosing(instruction: DecodedInstruction, wallet: string): string {
  const closed = readCloseAccount(instruction);
  assertAsShown(closed !== null, "unknown_instruction");
  assertAsShown(
    requireInMessage(closed.destination) === wallet && requireInMessage(closed.owner) === wallet,
    "deposit_elsewhere",
  );
  return requireInMessage(closed.account);
}
