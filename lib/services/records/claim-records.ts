import { computePeriodClose, type SignedMark } from "../../domain/marks";
import { STORE_KEYS, toShortHash } from "../../domain/store-keys";
import { DAY_MS } from "../../domain/time";
import { AppError, UpstreamFault } from "../../errors";
import type { Deps } from "../../ports/deps";
import { fromBase64 } from "../../solana/bytes";
import { decodeTransaction, readTxSignature, type SignedTransaction } from "../../solana/transactions";
import type { Bound } from "./message-records";

/*
 * Records of claims. A claim is a wallet's right to send the one transaction that sets a mark. It holds at most one
 * message, which leaves it once, and only by landing, expiring or being refused unsent. A caller whose `replaceClaim`
 * fails reads again. `sent` is written before the first send: `sent: false` proves that no instance has sent it.
 */

/**
 * `value` is that of the mark. `slot` is the slot of the transaction that a `through` mark names, or 0. `message` is the
 * hash of the saving message; empty if only the chain showed the saving. `txSignature` is not stored for payments.
 */
export type SavedMark = { value: string; slot: number; message: string; txSignature?: string };

/** A claim in flight, with the whole transaction, so that any request can follow it. `since`: ms since the epoch. */
export type HeldClaim = SavedMark & { transaction: string; bound: Bound | null; since: number; sent: boolean };

/** `saved` is the last mark that landed; `held` is the transaction in flight. */
export type ClaimRecord = { saved: SavedMark | null; held: HeldClaim | null };

/** `signature` is that of the newest saved payment, or of the saving of a period or reference. */
type StoredClaim = [signature: string | null, slot: number, message: string, ...held: HeldClaim[]];

/** A wallet has one claim for all of its payments, and one for each period and each reference. */
export const toClaimKey = ({ wallet, mark: { kind, value } }: SignedMark) =>
  STORE_KEYS.claim.toKey(toShortHash([kind, wallet, ...(kind === "through" ? [] : [value])].join("\0")));

/** Returns the hash that identifies a message. It ignores signatures, because the chain takes a message once. */
export const hashMessage = ({ message }: SignedTransaction) => toShortHash(message);

function encodeClaim({ mark }: SignedMark, { saved, held }: ClaimRecord): StoredClaim {
  const signature = (mark.kind === "through" ? saved?.value : saved?.txSignature) ?? null;
  return [signature, saved?.slot ?? 0, saved?.message ?? "", ...(held ? [held] : [])];
}

function decodeClaim({ mark: { kind, value } }: SignedMark, stored: StoredClaim): ClaimRecord {
  const [signature, slot, message, held = null] = stored;
  if (signature === null) return { saved: null, held };
  const names = kind === "through" ? { value: signature } : { value, txSignature: signature };
  return { saved: { ...names, slot, message }, held };
}

export async function readClaim({ kv }: Deps, signedMark: SignedMark): Promise<ClaimRecord | null> {
  const stored = await kv.get<StoredClaim>(toClaimKey(signedMark));
  return stored && decodeClaim(signedMark, stored);
}

/**
 * Replaces `record` with `newRecord`, or deletes it if `newRecord` is empty.
 * @returns false if the stored record is no longer `record`
 */
export async function replaceClaim(
  deps: Deps,
  signedMark: SignedMark,
  record: ClaimRecord | null,
  newRecord: ClaimRecord,
) {
  const expected = record && encodeClaim(signedMark, record);
  const value = newRecord.saved || newRecord.held ? encodeClaim(signedMark, newRecord) : null;
  return deps.kv.replace(toClaimKey(signedMark), expected, value, toClaimTtlMs(deps, signedMark), "replicated");
}

interface Posting {
  readonly transaction: SignedTransaction;
  readonly txSignature: string;
  readonly marks: readonly SignedMark[];
}

/** The claim record that this process last wrote for a posting. It saves a read before the next write. */
const latestClaims = new WeakMap<SignedTransaction, ClaimRecord>();

/** Replaces a claim as `replaceClaim` does, and remembers the record that it wrote. */
export async function writeClaim(
  deps: Deps,
  posting: Posting,
  signedMark: SignedMark,
  record: ClaimRecord | null,
  newRecord: ClaimRecord,
): Promise<boolean> {
  const isReplaced = await replaceClaim(deps, signedMark, record, newRecord);
  if (isReplaced) latestClaims.set(posting.transaction, newRecord);
  return isReplaced;
}

/** Returns and forgets the record that this process wrote last for a posting, or reads the stored one. */
async function takeLatestClaim(deps: Deps, posting: Posting, signedMark: SignedMark): Promise<ClaimRecord | null> {
  const latestRecord = latestClaims.get(posting.transaction);
  return latestClaims.delete(posting.transaction) ? latestRecord! : readClaim(deps, signedMark);
}

/** Largest accepted difference between the clocks of two instances. */
const MAX_CLOCK_SKEW_MS = DAY_MS;

/** Only a claim of a dated period expires: `executeTransaction` refuses that period once it has closed. */
function toClaimTtlMs({ clock }: Deps, { mark }: SignedMark): number | undefined {
  const closesAtMs = mark.kind === "topup" ? computePeriodClose(mark.value) : null;
  return closesAtMs === null ? undefined : Math.ceil(Math.max(0, closesAtMs - clock.now())) + MAX_CLOCK_SKEW_MS;
}

export const createAlreadySavedError = ({ txSignature }: SavedMark, message?: string) =>
  new AppError("already_saved", { ...(message && { message }), ...(txSignature && { txSignature }) });

export const readHeldSignature = ({ transaction }: HeldClaim) =>
  readTxSignature(decodeTransaction(fromBase64(transaction)!));

/**
 * Marks a transaction's claims as sent. Runs before the first send.
 * @throws AppError upstream_unavailable when the transaction no longer holds a claim, or too few replicas have it; it
 * must not be sent then
 */
export async function markClaimsSent(deps: Deps, posting: Posting): Promise<void> {
  const messageHash = hashMessage(posting.transaction);
  for (const signedMark of posting.marks) {
    for (;;) {
      const record = await takeLatestClaim(deps, posting, signedMark);
      if (record?.saved?.message === messageHash) break;
      if (record?.held?.message !== messageHash)
        throw new AppError("upstream_unavailable", { cause: new UpstreamFault("store", "has lost a claim") });
      // Also written when it is already sent, because the earlier write may not have reached the replicas.
      if (await writeClaim(deps, posting, signedMark, record, { ...record, held: { ...record.held, sent: true } }))
        break;
    }
  }
}

/**
 * Frees the claims that this transaction holds.
 * @param hasLanded true: its marks become the wallet's saved marks. Pass false only if it has failed on the chain or
 * can no longer land
 */
export async function endClaims(deps: Deps, posting: Posting, hasLanded: boolean): Promise<void> {
  const { transaction, txSignature, marks } = posting;
  const messageHash = hashMessage(transaction);
  for (const signedMark of marks) {
    let isEnded = false;
    while (!isEnded) {
      const record = await takeLatestClaim(deps, posting, signedMark);
      if (record?.held?.message !== messageHash) break;
      const { value, slot } = record.held;
      const saved = hasLanded ? { value, slot, message: messageHash, txSignature } : record.saved;
      isEnded = await replaceClaim(deps, signedMark, record, { saved, held: null });
    }
  }
}
