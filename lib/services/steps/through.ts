import { sha256 } from "@noble/hashes/sha2";
import { NOTHING_SAVED } from "../../domain/marks";
import { AppError } from "../../errors";
import type { Deps } from "../../ports";
import { toHex, utf8 } from "../../solana/bytes";
import { savedThrough } from "./claim-records";

/**
 * What keeps payments from being saved twice where `through` alone does not tell: two devices that read the spending at
 * different moments name different ends of the same payments. So a batch is remembered with what was saved before it,
 * from the answer that lists it over the transaction that is built of it to the one that is sent.
 */

/** A device may wake up and post what it read weeks ago, or put what was built of it into a transaction of its own. */
const KEPT_MS = 30 * 86_400_000;
/** Batches in a row that have nothing to save. */
const MOST_SKIPPED = 200;
interface Point {
  /** Transaction signature. */
  value: string;
  slot: number;
}

interface Batch {
  wallet: string;
  through: string;
  microUsd: bigint[];
}

/** What the caller says of a batch. */
interface Named extends Pick<Batch, "wallet" | "through"> {
  /** What was saved as its payments were read, NOTHING_SAVED included; undefined: it does not say. */
  after: string | undefined;
}

const batchKey = ({ wallet, through, microUsd }: Batch) =>
  `spending-batch:${wallet}:${toHex(sha256(utf8([through, ...microUsd].join(","))))}`;
const skippedKey = (wallet: string, through: string) => `spending-skipped:${wallet}:${through}`;
const wrapKey = (wallet: string, through: string, { saved, fee }: Amounts) =>
  `spending-wrap:${wallet}:${through}:${saved}:${fee}`;

/** Lamports of the two transfers. */
interface Amounts {
  saved: bigint;
  fee: bigint;
}

/**
 * Batches that are alike end at the same payment and have as many, so they are the same payments: the last to list them
 * knows best, as an earlier one may have begun in the midst of what is saved by now.
 * @param after what is saved before it, or will be by the batch before it
 */
export async function rememberBatch({ kv }: Deps, batch: Batch, after: string | null): Promise<void> {
  await kv.set(batchKey(batch), after ?? NOTHING_SAVED, KEPT_MS);
}

/** Slot of a confirmed transaction that the wallet signed, null when there is none of this signature. */
export async function slotOfThrough({ rpc }: Deps, wallet: string, through: string): Promise<number | null> {
  const [{ states }, figures] = await Promise.all([rpc.signatureStates([through], true), rpc.transaction(through)]);
  const [state] = states;
  return state && state.confirmation !== "processed" && figures?.signers.includes(wallet) ? state.slot : null;
}

/** Whether one transaction of the wallet is younger than another one. */
export async function isNewer({ rpc }: Deps, wallet: string, one: Point, other: Point): Promise<boolean> {
  if (one.slot !== other.slot || one.value === other.value) return one.slot > other.slot;
  const older = await rpc.signaturesOf(wallet, { limit: 1_000, before: one.value });
  return older.some(({ signature }) => signature === other.value);
}

/** @throws AppError invalid_request, already_saved where it is, or where more is saved than the caller knew */
export async function refuseSavedThrough(deps: Deps, { wallet, through, after }: Named): Promise<void> {
  const [slot, saved] = await Promise.all([slotOfThrough(deps, wallet, through), savedThrough(deps, wallet)]);
  if (slot === null) {
    const message = "names no confirmed transaction that userPubkey signed";
    throw new AppError("invalid_request", { message: `through: ${message}.`, issues: [{ path: "through", message }] });
  }
  if (saved && !(await isNewer(deps, wallet, { value: through, slot }, saved))) throw new AppError("already_saved");
  if (after !== undefined && after !== (saved?.value ?? NOTHING_SAVED)) throw new AppError("already_saved");
}

/** Remembers what a built transaction follows on; a batch without anything to save is one that the next may pass over. */
export async function rememberWrap(deps: Deps, batch: Batch & Named, amounts: Amounts | null): Promise<void> {
  const { kv } = deps;
  const { wallet, through, after } = batch;
  const listedAfter = await kv.get<string>(batchKey(batch));
  const follows = after ?? listedAfter;
  if (amounts && follows !== null) await kv.set(wrapKey(wallet, through, amounts), follows, KEPT_MS);
  else if (listedAfter !== null) await kv.set(skippedKey(wallet, through), listedAfter, KEPT_MS);
  else if (amounts) {
    // What nobody listed may be older payments, in other words: it never stands in the way of what is known already.
    const saved = (await savedThrough(deps, wallet))?.value ?? NOTHING_SAVED;
    await kv.setIfAbsent(wrapKey(wallet, through, amounts), saved, KEPT_MS);
  }
}

/** Whether a transaction goes on where the wallet's savings end; true of one that was not built here. */
export async function followsOn(
  { kv }: Deps,
  { wallet, mark }: { wallet: string; mark: { value: string } },
  amounts: Amounts,
  saved: string | null,
): Promise<boolean> {
  let after = await kv.get<string>(wrapKey(wallet, mark.value, amounts));
  if (after === null) return true;
  for (let skipped = 0; skipped < MOST_SKIPPED && after !== null; skipped++) {
    if (after === (saved ?? NOTHING_SAVED)) return true;
    after = await kv.get<string>(skippedKey(wallet, after));
  }
  return false;
}
