import bs58 from "bs58";
import type { ReadInstruction } from "../solana/instructions";
import { readMemo } from "../solana/memo";
import { TX_SIGNATURE } from "../solana/tx-signature";

/**
 * What a saving says of itself on the chain, in a memo that its wallet signs, so that it is done once from any device:
 * `through`, all payments up to and with this transaction are saved; `topup`, this period's one is made.
 */
export type Mark = { kind: "through" | "topup"; value: string };

export interface SignedMark {
  /** Signs it alone. */
  wallet: string;
  mark: Mark;
}

/** In the place of the last payment that is saved, where none is. */
export const NOTHING_SAVED = "none";

/** What a top-up may call its period. */
export const TOPUP_PERIOD = /^[\w.-]{1,32}$/;

export const markText = ({ kind, value }: Mark) => `roundup:1:${kind}:${value}`;

/** The mark that a memo's text is, null for any other text. */
function readMark(text: string): Mark | null {
  const [app, version, kind, value = "", ...more] = text.split(":");
  if (app !== "roundup" || version !== "1" || more.length > 0) return null;
  // Not solana/ed25519: pages that save would carry its curve along.
  if (kind === "through") return TX_SIGNATURE.test(value) && bs58.decode(value).length === 64 ? { kind, value } : null;
  return kind === "topup" && TOPUP_PERIOD.test(value) ? { kind, value } : null;
}

/** The marks among the instructions of a transaction. */
export function marksIn(instructions: readonly ReadInstruction[]): SignedMark[] {
  return instructions.flatMap((one) => {
    const wallet = one.accounts[0] ?? null;
    const text = wallet === null ? null : readMemo(one, wallet);
    const mark = text === null ? null : readMark(text);
    return mark ? [{ wallet: wallet!, mark }] : [];
  });
}
