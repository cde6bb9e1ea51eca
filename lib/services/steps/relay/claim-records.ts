import { sha256 } from "@noble/hashes/sha2";
import bs58 from "bs58";
import { marksIn, periodClosesAt, type SignedMark } from "../../../domain/marks";
import { AppError, UpstreamFault } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import { toHex } from "../../../solana/bytes";
import { instructionsOf } from "../../../solana/read-transaction";
import type { SignedTransaction } from "../../../solana/transactions";
import type { Bound } from "./build-records";

/** `slot`: of the transaction that a `through` names, else 0. `message`: SHA-256 of the one that saves, hex. */
export type SavedMark = { value: string; slot: number; message: string };

/**
 * The transaction itself lies with its claim, so that whoever comes next can find out what became of it. `sent` turns true
 * before an instance sends it, and never back.
 */
export type HeldClaim = SavedMark & { transaction: string; bound: Bound | null; since: number; sent: boolean };

/** `saved` is what landed last; `held` what is on its way. */
export type ClaimRecord = { saved: SavedMark | null; held: HeldClaim | null };

/** A wallet's payments are saved in order, one claim after the other; each top-up stands for itself. */
const keyOf = ({ wallet, mark: { kind, value } }: SignedMark) =>
  kind === "through" ? `claim:through:${wallet}` : `claim:${kind}:${wallet}:${value}`;

/** The chain takes a message once, whatever its signatures. */
export const messageHash = ({ message }: SignedTransaction) => toHex(sha256(message));

export const signatureOf = ({ signatures }: SignedTransaction) => bs58.encode(signatures[0]!);

export async function readClaim({ kv }: Deps, signed: SignedMark): Promise<ClaimRecord | null> {
  return kv.get<ClaimRecord>(keyOf(signed));
}

/** One that says nothing is not kept. @returns whether the record still was `seen`, and is `next` now */
export async function replaceClaim(deps: Deps, signed: SignedMark, seen: ClaimRecord | null, next: ClaimRecord) {
  return deps.kv.replace(keyOf(signed), seen, next.saved || next.held ? next : null, keptMs(deps, signed));
}

/** More than the clocks of two instances differ. */
const CLOCKS_DIFFER_MS = 86_400_000;

/** Execute refuses a period that has closed, so its claim may go then. Any other claim stays. */
function keptMs({ clock }: Deps, { mark }: SignedMark): number | undefined {
  const closesAt = mark.kind === "topup" ? periodClosesAt(mark.value) : null;
  return closesAt === null ? undefined : Math.ceil(Math.max(0, closesAt - clock.now())) + CLOCKS_DIFFER_MS;
}

/** The last transaction through which a wallet's payments are saved; null: none that is known here. */
export async function savedThrough(deps: Deps, wallet: string): Promise<SavedMark | null> {
  return (await readClaim(deps, { wallet, mark: { kind: "through", value: "" } }))?.saved ?? null;
}

/** The marks that a transaction sets when it lands. */
export function marksOf({ decoded: { message }, signers }: SignedTransaction): SignedMark[] {
  const keys = message.staticAccountKeys.map((key) => key.toBase58());
  // The network refuses one whose programs stand in a lookup table.
  const isWhole = message.compiledInstructions.every(({ programIdIndex }) => programIdIndex < keys.length);
  const marks = isWhole ? marksIn(instructionsOf(message, keys)) : [];
  // And one whose memo names a wallet that does not sign, but only where it is run: a stranger's must not hold that wallet's claim.
  return marks.filter(({ wallet }) => keys.indexOf(wallet) < signers.length);
}

/** Records in its claims that a transaction goes out. @throws AppError upstream_unavailable when it holds one no more: it must not go out */
export async function confirmSending(deps: Deps, transaction: SignedTransaction): Promise<void> {
  const message = messageHash(transaction);
  for (const signed of marksOf(transaction)) {
    for (;;) {
      const seen = await readClaim(deps, signed);
      if (seen?.saved?.message === message) break;
      if (seen?.held?.message !== message)
        throw new AppError("upstream_unavailable", { cause: new UpstreamFault("store", "has lost a claim") });
      if (seen.held.sent || (await replaceClaim(deps, signed, seen, { ...seen, held: { ...seen.held, sent: true } })))
        break;
    }
  }
}

/**
 * Ends the claims that this transaction holds: landed, they are the wallet's marks; else they are free again, which is
 * said only of what can land no more.
 */
export async function endClaims(deps: Deps, transaction: SignedTransaction, landed: boolean): Promise<true> {
  const message = messageHash(transaction);
  for (const signed of marksOf(transaction)) {
    let isDone = false;
    while (!isDone) {
      const seen = await readClaim(deps, signed);
      if (seen?.held?.message !== message) break;
      const { value, slot } = seen.held;
      const saved = landed ? { value, slot, message } : seen.saved;
      isDone = await replaceClaim(deps, signed, seen, { saved, held: null });
    }
  }
  return true;
}
