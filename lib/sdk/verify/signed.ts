import { must } from "../../domain/not-as-shown";
import { checkBudget, mustBeInMessage, readBuilt } from "../../domain/transaction-check";
import { fromBase64, toHex } from "../../solana/bytes";
import type { ReadInstruction } from "../../solana/instructions";
import { LIGHTHOUSE_PROGRAM } from "../../solana/programs";
import { decodeTransaction } from "../../solana/transactions";

/**
 * Verifies the changes that a wallet made to a transaction before it signed. Wallets raise the compute unit price. They
 * also add Lighthouse assertions, which abort the transaction if its result differs from the wallet's simulation.
 * Allowed are one unit limit, one unit price, and assertions about a single account. The priority fee may reach
 * MAX_PRIORITY_FEE_LAMPORTS, as in any transaction of this service. Instructions, their order, signers, blockhash and
 * the set of writable accounts must stay as shown.
 * @param shown unsigned, base64 @param signed base64
 * @returns the maximum network fee, lamports
 * @throws {NotAsShown}
 */
export function verifySigned(shown: string, signed: string): bigint {
  const [before, after] = [readBuilt(shown), readBuilt(signed)];
  const [was, is] = [decodeMessage(shown), decodeMessage(signed)];
  must(is.recentBlockhash === was.recentBlockhash && is.addressTableLookups.length === 0, "changed_by_wallet");
  must(after.signers.join() === before.signers.join(), "other_signer");
  const written = new Set(was.staticAccountKeys.flatMap((key, i) => (was.isAccountWritable(i) ? key.toBase58() : [])));
  for (const [i, key] of is.staticAccountKeys.entries())
    must(!is.isAccountWritable(i) || written.has(key.toBase58()), "changed_by_wallet");
  const instructions = checkBudget(after).filter((instruction) => !isAssertion(instruction));
  const reviewed = checkBudget(before);
  must(instructions.length === reviewed.length, "changed_by_wallet");
  for (const [i, instruction] of instructions.entries()) must(isSame(instruction, reviewed[i]!), "changed_by_wallet");
  return after.networkFeeLamports;
}

/**
 * Lighthouse instructions that only read one account. The list excludes instructions that write to Lighthouse's memory
 * accounts and pay for them (0, 1), compare two accounts (4), or call other programs (16, 17). Source: the order of
 * `LighthouseInstruction` in github.com/Jac0xb/lighthouse.
 */
const ASSERTIONS = new Set([2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);

/** Allows at most one account: without a second account, the instruction cannot call any other program. */
function isAssertion({ program, accounts, data }: ReadInstruction): boolean {
  return program === LIGHTHOUSE_PROGRAM && accounts.length <= 1 && ASSERTIONS.has(data[0]!);
}

function isSame(one: ReadInstruction, other: ReadInstruction): boolean {
  return (
    one.program === other.program &&
    toHex(one.data) === toHex(other.data) &&
    one.accounts.length === other.accounts.length &&
    one.accounts.every((account, i) => mustBeInMessage(account) === other.accounts[i])
  );
}

/** Decodes a transaction that `readBuilt` has already validated. */
const decodeMessage = (transaction: string) => decodeTransaction(fromBase64(transaction)!).decoded.message;
