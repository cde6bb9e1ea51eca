import { encodeUtf8 } from "./bytes";
import { buildInstruction, type DecodedInstruction, toSigner } from "./instructions";
import { MEMO_PROGRAM } from "./programs";

/** Builds a memo that `wallet` signs. All accounts of a memo must sign. Source: spl-memo. */
export const buildMemo = (text: string, wallet: string) =>
  buildInstruction(MEMO_PROGRAM, [toSigner(wallet)], encodeUtf8(text));

/** Returns the text of a memo that `wallet` alone signs. Returns null for any other instruction or invalid UTF-8. */
export function readMemo({ program, accounts, data }: DecodedInstruction, wallet: string): string | null {
  if (program !== MEMO_PROGRAM || accounts.length !== 1 || accounts[0] !== wallet) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    return null;
  }
}
