import { sha256 } from "@noble/hashes/sha2";
import { NOTHING_SAVED } from "../../../domain/marks";
import { STORE_KEYS } from "../../../domain/store-keys";
import { AppError, createFieldError, UpstreamFault } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import { encodeUtf8, toHex } from "../../../solana/bytes";
import { readSavedThrough, type SavedMark } from "../../records/claim-records";
import { createLagError, readCaughtUpStates } from "../relay/outcomes";

/*
 * Keeps the notes of batches. A note says which payment was saved last when a batch was listed or built.
 *
 * The problem: a `through` mark names only the last payment of a batch. Two devices that read the spending at different
 * times can build batches that overlap but end at different payments. Both marks look new, and some payments are saved
 * twice.
 * The invariant: a batch is saved only if nothing was saved since its payments were read.
 * How it is kept: the store has a note of each batch, `after`: the last payment saved when the batch was read. The build
 * refuses a batch whose `after` is stale. The build passes `after` on to execute, which refuses a stale message. Keys
 * contain the caller, so one caller's listings and builds do not change another caller's.
 * Example: payments P1, P2 and P3 exist and nothing is saved. The phone lists [P1 P2], and the laptop lists [P1 P2 P3].
 * Both have `after: none`. The phone's saving through P2 lands. The laptop's build is refused with `already_saved`,
 * because the last saved payment is now P2. The laptop lists again and gets [P3] with `after: P2`.
 */

/** Limit for consecutive batches that round up to nothing. Each costs one store read. */
const MAX_SKIPPED_BATCHES = 200;

/** A payment's transaction signature and its position in the chain's order. */
type PaymentPosition = Pick<SavedMark, "value" | "slot">;

interface Batch {
  /** Wallet of the caller who lists or builds the batch; null for a static key. */
  callerWallet: string | null;
  wallet: string;
  through: string;
  microUsd: bigint[];
}

/** A batch as the caller names it in a request. */
interface RequestedBatch extends Batch {
  /** The last payment saved when the batch was read, or NOTHING_SAVED; undefined if the caller does not name it. */
  after: string | undefined;
}

/** The parts that identify a built message. Instructions that wallets add, such as a unit price, are not among them. */
interface BuiltMessage {
  wallet: string;
  mark: { value: string };
  recentBlockhash: string;
  /** Lamports of the transfer into the service wallet. */
  savedLamports: bigint;
  /** Lamports of the transfer to the collector. */
  feeLamports: bigint;
}

const toBatchKey = ({ callerWallet, wallet, through, microUsd }: Batch) =>
  STORE_KEYS.batch.toKey(callerWallet, wallet, toHex(sha256(encodeUtf8([through, ...microUsd].join(",")))));
const toSkippedKey = ({ callerWallet, wallet }: Batch, through: string) =>
  STORE_KEYS.skippedBatch.toKey(callerWallet, wallet, through);
const toBuiltMessageKey = ({ wallet, mark, recentBlockhash, savedLamports, feeLamports }: BuiltMessage) =>
  STORE_KEYS.builtMessage.toKey(wallet, mark.value, recentBlockhash, savedLamports, feeLamports);
/** Returns a key without the blockhash, because an app may put the transfers into its own transaction. */
const toAttachedTransfersKey = ({ wallet, mark, savedLamports, feeLamports }: BuiltMessage) =>
  STORE_KEYS.builtTransfers.toKey(wallet, mark.value, savedLamports, feeLamports);

/** The note of built transfers: the payment saved last before them, and the store key of their batch's note. */
type AttachedNote = [after: string, batchKey: string];

/**
 * Stores the note of a batch. Identical batches of one caller contain identical payments, so the latest listing
 * overwrites earlier ones. An earlier listing may have begun with payments that are saved by now.
 * @param after the last payment saved before the batch, or the last payment of the batch before it; null if none
 * @param slot slot of the transaction that `through` names; null if the listing does not contain it
 */
export async function recordBatch(
  { kv }: Deps,
  batch: Batch,
  after: string | null,
  slot: number | null = null,
): Promise<void> {
  await Promise.all([
    kv.set(toBatchKey(batch), after ?? NOTHING_SAVED, STORE_KEYS.batch.ttlMs),
    slot === null
      ? null
      : kv.set(STORE_KEYS.listedPayment.toKey(batch.wallet, batch.through), slot, STORE_KEYS.listedPayment.ttlMs),
  ]);
}

/**
 * Reads the slot of a confirmed transaction that the wallet signed, from an earlier listing or from the chain.
 * @param newestSlot the newest slot seen so far
 * @returns null if a node that has caught up knows no such transaction, or if the wallet did not sign it
 * @throws AppError upstream_unavailable while the nodes lag
 */
export async function readPaymentSlot(
  deps: Deps,
  wallet: string,
  through: string,
  newestSlot: number,
): Promise<number | null> {
  const listedSlot = await deps.kv.get<number>(STORE_KEYS.listedPayment.toKey(wallet, through));
  if (listedSlot !== null) return listedSlot;
  const [[state], transaction] = await Promise.all([
    readCaughtUpStates(deps, [through], newestSlot),
    deps.rpc.readTransaction(through),
  ]);
  const figures = transaction === "unsupported" ? null : transaction;
  if (figures ? !figures.signers.includes(wallet) : !state) return null;
  if (figures && state && state.confirmation !== "processed") return state.slot;
  throw createLagError();
}

/**
 * Returns whether `payment` is newer than `otherPayment`. Within one slot, the wallet's history on a node gives the
 * order.
 * @throws AppError upstream_unavailable when both share a slot and the node's history lacks one of them
 */
export async function isNewerPayment(
  { rpc }: Deps,
  wallet: string,
  payment: PaymentPosition,
  otherPayment: PaymentPosition,
): Promise<boolean> {
  if (payment.slot !== otherPayment.slot || payment.value === otherPayment.value)
    return payment.slot > otherPayment.slot;
  const isListedBelow = async (older: PaymentPosition, newer: PaymentPosition) => {
    // 1,000 is the most that a node lists in one call.
    const page = await rpc.readSignatures(wallet, { limit: 1_000, before: newer.value });
    return page.some(({ signature }) => signature === older.value);
  };
  if (await isListedBelow(otherPayment, payment)) return true;
  if (await isListedBelow(payment, otherPayment)) return false;
  throw createLagError();
}

/**
 * Refuses a batch that is already saved, or that was read before the latest saving landed.
 * @returns the last saved payment or NOTHING_SAVED, if the batch is known to start right after it; null if there is no
 * note of the batch, for example after the store was lost
 * @throws AppError invalid_request, already_saved, upstream_*
 */
export async function refuseStaleBatch(deps: Deps, batch: RequestedBatch): Promise<string | null> {
  const { wallet, through } = batch;
  // The build needs the blockhash anyway. A node that has not reached the blockhash's slot lags.
  const [{ slot: blockhashSlot = 0 }, saved] = await Promise.all([
    deps.rpc.readLatestBlockhash(),
    readSavedThrough(deps, wallet),
  ]);
  const newestSlot = Math.max(blockhashSlot, deps.signatureWatch.getHighestSlot());
  const slot = await readPaymentSlot(deps, wallet, through, newestSlot);
  if (slot === null) throw createFieldError("through", "names no confirmed transaction that userPubkey signed");
  if (saved && !(await isNewerPayment(deps, wallet, { value: through, slot }, saved)))
    throw new AppError("already_saved");
  const lastSaved = saved?.value ?? NOTHING_SAVED;
  const isFresh = await isBatchFresh(deps, batch, lastSaved);
  if (isFresh === false) throw new AppError("already_saved");
  return isFresh ? lastSaved : null;
}

/** Returns whether `lastSaved` was saved last when the batch was read; null if neither the request nor the store says so. */
async function isBatchFresh({ kv }: Deps, batch: RequestedBatch, lastSaved: string): Promise<boolean | null> {
  if (batch.after !== undefined) return batch.after === lastSaved;
  let after = await kv.get<string>(toBatchKey(batch));
  if (after === null) return null;
  for (let skippedCount = 0; skippedCount < MAX_SKIPPED_BATCHES && after !== null; skippedCount++) {
    if (after === lastSaved) return true;
    after = await kv.get<string>(toSkippedKey(batch, after));
  }
  return false;
}

/** Records that a listed batch rounds up to nothing, so nothing is saved for it. The next batch stays valid. */
export async function recordSkippedBatch({ kv }: Deps, batch: Batch): Promise<void> {
  const after = await kv.get<string>(toBatchKey(batch));
  if (after !== null) await kv.set(toSkippedKey(batch, batch.through), after, STORE_KEYS.skippedBatch.ttlMs);
}

/**
 * Stores the note of a built message. The first build of an identical message decides.
 * @param batch the batch that the message saves
 * @param lastSaved the last saved payment, or NOTHING_SAVED
 * @throws AppError upstream_unavailable when an identical message was built before the latest saving; a build on the
 * next blockhash gives a different message
 */
export async function recordBuiltMessage(
  { kv }: Deps,
  batch: Batch,
  message: BuiltMessage,
  lastSaved: string,
): Promise<void> {
  // An app may put the transfers into its own transaction days later. Only the wallet's own builds count: a build by
  // another caller does not show which payments this wallet has read.
  const attachedNote: AttachedNote = [lastSaved, toBatchKey(batch)];
  if (batch.callerWallet === message.wallet)
    await kv.set(toAttachedTransfersKey(message), attachedNote, STORE_KEYS.builtTransfers.ttlMs);
  if (await kv.setIfAbsent(toBuiltMessageKey(message), lastSaved, STORE_KEYS.builtMessage.ttlMs)) return;
  if ((await kv.get(toBuiltMessageKey(message))) === lastSaved) return;
  const cause = new UpstreamFault("rpc", "has no newer blockhash");
  throw new AppError("upstream_unavailable", { retryAfterSeconds: 1, cause });
}

/** Lists the store keys that `readMessageNote` reads. */
export const listNoteKeys = (message: BuiltMessage): string[] => [
  toBuiltMessageKey(message),
  toAttachedTransfersKey(message),
];

/**
 * Reads the note of a message, or the note of its transfers if the message has none.
 * @returns `after`: the payment saved last before the message, or NOTHING_SAVED; undefined without a note. `keys`: the
 * store keys of the notes. They are deleted after the message has landed, because the saved mark then refuses every
 * repetition
 */
export async function readMessageNote({ kv }: Deps, message: BuiltMessage) {
  const keys = listNoteKeys(message);
  const [messageNote, transfersNote] = await kv.getMany<string | AttachedNote>(keys);
  const [attachedAfter, batchKey] = (transfersNote as AttachedNote | null) ?? [];
  return {
    after: (messageNote as string | null) ?? attachedAfter,
    keys: batchKey === undefined ? keys : [...keys, batchKey],
  };
}
