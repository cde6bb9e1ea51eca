import { must } from "../../domain/not-as-shown";
import { besidesBudget, inMessage, readBuilt } from "../../domain/transaction-check";
import { fromBase64, toHex } from "../../solana/bytes";
import type { ReadInstruction } from "../../solana/instructions";
import { LIGHTHOUSE_PROGRAM } from "../../solana/programs";
import { decodeTransaction } from "../../solana/transactions";

/**
 * What a wallet may make of a transaction before it signs it. Wallets raise the price of compute units, and add
 * assertions of Lighthouse that stop the transaction when it turns out otherwise than they simulated it. Let through are
 * one unit limit and one unit price, whose fee is at most what any transaction built here spends
 * (MAX_PRIORITY_FEE_LAMPORTS beside the base fee), and assertions about one account. Everything else stays as it was
 * shown: instructions, order, signers, blockhash, which accounts are written to.
 * @param shown unsigned, base64 @param signed base64
 * @returns the most the network can charge for it, lamports
 * @throws {NotAsShown}
 */
export function verifySigned(shown: string, signed: string): bigint {
  const [before, after] = [readBuilt(shown), readBuilt(signed)];
  const [was, is] = [decoded(shown), decoded(signed)];
  must(is.recentBlockhash === was.recentBlockhash && is.addressTableLookups.length === 0, "changed_by_wallet");
  must(after.signers.join() === before.signers.join(), "other_signer");
  const written = new Set(was.staticAccountKeys.flatMap((key, i) => (was.isAccountWritable(i) ? key.toBase58() : [])));
  const nowWritten = is.staticAccountKeys.filter((_key, i) => is.isAccountWritable(i));
  must(
    nowWritten.every((key) => written.has(key.toBase58())),
    "changed_by_wallet",
  );
  const kept = besidesBudget(after).filter((one) => !isAssertion(one));
  const asked = besidesBudget(before);
  must(kept.length === asked.length && kept.every((one, i) => isSame(one, asked[i]!)), "changed_by_wallet");
  return after.networkFeeLamports;
}

/**
 * Instructions of Lighthouse that only look at one account. Left out are the ones that write to memory accounts of its
 * own and pay for them (0, 1), that compare two accounts (4), and that call other programs (16, 17). Source: the order
 * of `LighthouseInstruction` in github.com/Jac0xb/lighthouse.
 */
const ASSERTIONS = new Set([2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);

/** With no second account there is no program that it could call. */
function isAssertion({ program, accounts, data }: ReadInstruction): boolean {
  return program === LIGHTHOUSE_PROGRAM && accounts.length <= 1 && ASSERTIONS.has(data[0]!);
}

function isSame(one: ReadInstruction, other: ReadInstruction): boolean {
  return (
    one.program === other.program &&
    toHex(one.data) === toHex(other.data) &&
    one.accounts.length === other.accounts.length &&
    one.accounts.every((account, i) => inMessage(account) === other.accounts[i])
  );
}

/** `readBuilt` has read it before. */
const decoded = (transaction: string) => decodeTransaction(fromBase64(transaction)!).decoded.message;
