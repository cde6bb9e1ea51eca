import { assertAsShown } from "../../domain/not-as-shown";
import { checkBudget, decodeBuiltTransaction, requireInMessage } from "../../domain/transaction-check";
import { toHex } from "../../solana/bytes";
import type { DecodedInstruction } from "../../solana/instructions";
import { LIGHTHOUSE_PROGRAM } from "../../solana/programs";

/**
 * Verifies the changes that a wallet made to a transaction before it signed (base64). Allowed are one unit limit, one unit
 * price with a priority fee up to MAX_PRIORITY_FEE_LAMPORTS, and Lighthouse assertions about a single account, which abort
 * a transaction whose result differs from the wallet's simulation. Everything else must stay as shown.
 * @returns how much more than the shown transaction the network can take, lamports; negative for a lowered unit price
 * @throws {NotAsShown}
 */
export function verifySigned(shown: string, signed: string): bigint {
  const [shownTransaction, signedTransaction] = [decodeBuiltTransaction(shown), decodeBuiltTransaction(signed)];
  const [{ message: shownMessage }, { message: signedMessage }] = [shownTransaction, signedTransaction];
  assertAsShown(signedMessage.recentBlockhash === shownMessage.recentBlockhash, "changed_by_wallet");
  assertAsShown(signedMessage.addressTableLookups.length === 0, "changed_by_wallet");
  assertAsShown(signedTransaction.signers.join() === shownTransaction.signers.join(), "other_signer");
  const writableKeys = new Set(
    shownMessage.staticAccountKeys.flatMap((key, i) => (shownMessage.isAccountWritable(i) ? key.toBase58() : [])),
  );
  for (const [i, key] of signedMessage.staticAccountKeys.entries())
    assertAsShown(!signedMessage.isAccountWritable(i) || writableKeys.has(key.toBase58()), "changed_by_wallet");
  const instructions = checkBudget(signedTransaction).filter((instruction) => !isAssertion(instruction));
  const shownInstructions = checkBudget(shownTransaction);
  assertAsShown(instructions.length === shownInstructions.length, "changed_by_wallet");
  for (const [i, instruction] of instructions.entries())
    assertAsShown(isSameInstruction(instruction, shownInstructions[i]!), "changed_by_wallet");
  const addedUnits = Math.max(0, signedTransaction.costUnits - shownTransaction.costUnits);
  return (
    signedTransaction.priorityFeeLamports - shownTransaction.priorityFeeLamports + BigInt(Math.ceil(addedUnits / 2))
  );
}

/**
 * Lighthouse instructions that only read one account. The list excludes instructions that write to Lighthouse's memory
 * accounts and pay for them (0, 1), compare two accounts (4), or call other programs (16, 17). Source: the order of
 * `LighthouseInstruction` in github.com/Jac0xb/lighthouse.
 */
const ASSERTION_TAGS = new Set([2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);

/** Returns whether an instruction only asserts. With at most one account, it cannot call any other program. */
function isAssertion({ program, accounts, data }: DecodedInstruction): boolean {
  return program === LIGHTHOUSE_PROGRAM && accounts.length <= 1 && ASSERTION_TAGS.has(data[0]!);
}

function isSameInstruction(signed: DecodedInstruction, shown: DecodedInstruction): boolean {
  return (
    signed.program === shown.program &&
    toHex(signed.data) === toHex(shown.data) &&
    signed.accounts.length === shown.accounts.length &&
    signed.accounts.every((account, i) => requireInMessage(account) === shown.accounts[i])
  );
}
