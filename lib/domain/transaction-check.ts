import { MAX_PRIORITY_FEE_LAMPORTS, readUnitLimit, readUnitPrice } from "../solana/compute-budget";
import { networkFee } from "../solana/fees";
import type { ReadInstruction } from "../solana/instructions";
import { COMPUTE_BUDGET_PROGRAM } from "../solana/programs";
import { type ReadTransaction, readTransaction } from "../solana/read-transaction";
import { readCloseAccount, readOpenAccount } from "../solana/token-instructions";
import { must, NotAsShown } from "./not-as-shown";

/** Rules that every transaction built for a wallet keeps. All throw NotAsShown. */

export function readBuilt(transaction: string): ReadTransaction {
  try {
    return readTransaction(transaction);
  } catch {
    throw new NotAsShown("unreadable");
  }
}

/** This wallet pays, and nobody else has to sign. */
export function mustBeSignedByAlone({ signers }: ReadTransaction, wallet: string): void {
  must(signers.length === 1 && signers[0] === wallet, "other_signer");
}

/**
 * The instructions that are not the compute budget's. Of that one, one unit limit and one unit price are understood, and
 * the fee they amount to is at most what any transaction built here spends.
 */
export function besidesBudget({ instructions, signers, networkFeeLamports }: ReadTransaction): ReadInstruction[] {
  const budget = instructions.filter(({ program }) => program === COMPUTE_BUDGET_PROGRAM);
  const limits = budget.filter((one) => readUnitLimit(one) !== null);
  const prices = budget.filter((one) => readUnitPrice(one) !== null);
  must(limits.length <= 1 && prices.length <= 1, "unknown_instruction");
  must(limits.length + prices.length === budget.length, "unknown_instruction");
  must(networkFeeLamports <= networkFee(signers.length, 0, 0n) + MAX_PRIORITY_FEE_LAMPORTS, "network_fee");
  return instructions.filter((one) => !budget.includes(one));
}

/** What only the chain could say of a table's account is no proof of anything. */
export function inMessage(account: string | null | undefined): string {
  must(typeof account === "string", "hidden_account");
  return account;
}

/**
 * An account that is opened is one of `expected`, for this owner, paid by `payer`. The program itself holds its address
 * against owner, mint and token program; so where it is the expected one, the mint may stand in a lookup table.
 */
export function mustOpenFor(one: ReadInstruction, payer: string, owner: string, expected: readonly string[]): void {
  const opened = readOpenAccount(one);
  must(opened !== null, "unknown_instruction");
  must(inMessage(opened.payer) === payer && inMessage(opened.owner) === owner, "foreign_account");
  must(expected.includes(inMessage(opened.account)), "foreign_account");
}

/** A closed account's lamports come back to its owner. @returns the account */
export function mustCloseTo(one: ReadInstruction, wallet: string): string {
  const closed = readCloseAccount(one);
  must(closed !== null, "unknown_instruction");
  must(inMessage(closed.destination) === wallet && inMessage(closed.owner) === wallet, "deposit_elsewhere");
  return inMessage(closed.account);
}
