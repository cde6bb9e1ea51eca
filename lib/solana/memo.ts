import { toBase64, utf8 } from "./bytes";
import { type InstructionLike, type ReadInstruction, signer } from "./instructions";
import { MEMO_PROGRAM } from "./programs";

/** Builds a memo that `wallet` signs. Source: spl-memo; all accounts of a memo must sign. */
export function createMemo(text: string, wallet: string): InstructionLike {
  return { programId: MEMO_PROGRAM, accounts: [signer(wallet)], data: toBase64(utf8(text)) };
}

/** Returns the text of a memo signed by `wallet` alone. Null for anything else, and for text that is not UTF-8. */
export function readMemo({ program, accounts, data }: ReadInstruction, wallet: string): string | null {
  if (program !== MEMO_PROGRAM || accounts.length !== 1 || accounts[0] !== wallet) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    return null;
  }
}
