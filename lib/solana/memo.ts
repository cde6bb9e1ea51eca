import { toBase64, utf8 } from "./bytes";
import { type InstructionLike, type ReadInstruction, signer } from "./instructions";
import { MEMO_PROGRAM } from "./programs";

/** A note on the chain that `wallet` signs. Source: spl-memo; its accounts must all sign. */
export function memo(text: string, wallet: string): InstructionLike {
  return { programId: MEMO_PROGRAM, accounts: [signer(wallet)], data: toBase64(utf8(text)) };
}

/** The text of a memo that `wallet` alone signs; null when it is anything else, or not UTF-8. */
export function readMemo({ program, accounts, data }: ReadInstruction, wallet: string): string | null {
  if (program !== MEMO_PROGRAM || accounts.length !== 1 || accounts[0] !== wallet) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    return null;
  }
}
