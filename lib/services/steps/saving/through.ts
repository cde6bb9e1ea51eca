import { sha256 } from "@noble/hashes/sha2";
import { NOTHING_SAVED } from "../../../domain/marks";
import { AppError, UpstreamFault } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import { toHex, utf8 } from "../../../solana/bytes";
import { savedThrough } from "../relay/claim-records";
import { lagging, type SeenSlot, statesCaughtUp } from "../relay/relay-records";

/**
 * What keeps payments from being saved twice where `through` alone does not tell: two devices that read the spending at
 * different moments name different ends of the same payments. So a batch is remembered with what was saved before it: from its
 * listing to its build, which refuses a stale batch, and from its build to execute, which refuses a stale message. What one
 * caller lists or builds changes nothing for another.
 */

/** A device may wake up and post what it read weeks ago. */
const KEPT_MS = 30 * 86_400_000;
/** A message lives for its blockhash's minute, and clocks may jump. */
const BUILT_KEPT_MS = 86_400_000;
/** Batches in a row that have nothing to save. */
const MOST_SKIPPED = 200;

interface Point {
  /** Transaction signature. */
  value: string;
  slot: number;
}

interface Batch {
  /** Wallet of the caller who lists or builds it; null: a static key. */
  by: string | null;
  wallet: string;
  through: string;
  microUsd: bigint[];
}

/** What the caller says of a batch. */
interface NamedBatch extends Batch {
  /** What was saved as its payments were read, NOTHING_SAVED included; undefined: it does not say. */
  after: string | undefined;
}

/** What tells a built message, whatever its wallet adds to it: a unit price, an assertion. */
interface Built {
  wallet: string;
  mark: { value: string };
  recentBlockhash: string;
  /** Lamports of the two transfers. */
  saved: bigint;
  fee: bigint;
}

const batchKey = ({ by, wallet, through, microUsd }: Batch) =>
  `spending-batch:${by}:${wallet}:${toHex(sha256(utf8([through, ...microUsd].join(","))))}`;
const skippedKey = ({ by, wallet }: Batch, through: string) => `spending-skipped:${by}:${wallet}:${through}`;
const listedKey = (wallet: string, through: string) => `spending-listed:${wallet}:${through}`;
const builtKey = ({ wallet, mark, recentBlockhash, saved, fee }: Built) =>
  `spending-built:${wallet}:${mark.value}:${recentBlockhash}:${saved}:${fee}`;
/** The same transfers in any message. */
const attachedKey = ({ wallet, mark, saved, fee }: Built) =>
  `spending-attached:${wallet}:${mark.value}:${saved}:${fee}`;

/**
 * Identical batches of one caller contain identical payments. The latest listing wins, because an earlier one may have begun
 * among what is saved by now.
 * @param after what is saved before it, or will be by the batch before it
 * @param slot of the transaction that `through` names; null where the listing does not have it
 */
export async function rememberBatch(
  { kv }: Deps,
  batch: Batch,
  after: string | null,
  slot: number | null = null,
): Promise<void> {
  await Promise.all([
    kv.set(batchKey(batch), after ?? NOTHING_SAVED, KEPT_MS),
    slot === null ? null : kv.set(listedKey(batch.wallet, batch.through), slot, KEPT_MS),
  ]);
}

/**
 * Slot of a confirmed transaction that the wallet signed, as a listing found it or the chain tells.
 * @returns null when a node that has caught up denies it
 * @throws AppError upstream_unavailable while the nodes are behind
 */
export async function slotOfThrough(
  deps: Deps,
  wallet: string,
  through: string,
  newest: SeenSlot,
): Promise<number | null> {
  const listed = await deps.kv.get<number>(listedKey(wallet, through));
  if (listed !== null) return listed;
  const [[state], figures] = await Promise.all([
    statesCaughtUp(deps, [through], newest),
    deps.rpc.transaction(through),
  ]);
  if (figures ? !figures.signers.includes(wallet) : !state) return null;
  if (figures && state && state.confirmation !== "processed") return state.slot;
  throw lagging();
}

/**
 * Whether one transaction of the wallet is younger than another one.
 * @throws AppError upstream_unavailable while a node's history lacks one of two that share a slot
 */
export async function isNewer({ rpc }: Deps, wallet: string, one: Point, other: Point): Promise<boolean> {
  if (one.slot !== other.slot || one.value === other.value) return one.slot > other.slot;
  const isOlder = async (older: Point, newer: Point) => {
    const page = await rpc.signaturesOf(wallet, { limit: 1_000, before: newer.value });
    return page.some(({ signature }) => signature === older.value);
  };
  if (await isOlder(other, one)) return true;
  if (await isOlder(one, other)) return false;
  throw lagging();
}

/**
 * Refuses a batch that is saved, or that was read before more was saved.
 * @returns what is saved now, if the batch is known to follow on it; null where nobody knows, as after the store was lost
 * @throws AppError invalid_request, already_saved, upstream_*
 */
export async function refuseSavedThrough(deps: Deps, batch: NamedBatch): Promise<string | null> {
  const { wallet, through } = batch;
  // The build needs the blockhash anyway, and its slot tells a node that is behind.
  const [{ slot: newest = 0 }, saved] = await Promise.all([deps.rpc.latestBlockhash(), savedThrough(deps, wallet)]);
  const slot = await slotOfThrough(deps, wallet, through, { slot: Math.max(newest, deps.watch.highestSlot()) });
  if (slot === null) {
    const message = "names no confirmed transaction that userPubkey signed";
    throw new AppError("invalid_request", { message: `through: ${message}.`, issues: [{ path: "through", message }] });
  }
  if (saved && !(await isNewer(deps, wallet, { value: through, slot }, saved))) throw new AppError("already_saved");
  const follows = saved?.value ?? NOTHING_SAVED;
  const isKnown = await wasReadAfter(deps, batch, follows);
  if (isKnown === false) throw new AppError("already_saved");
  return isKnown ? follows : null;
}

/** Whether a batch was read when this was saved, as its caller says or listed it; null where neither is known. */
async function wasReadAfter({ kv }: Deps, batch: NamedBatch, follows: string): Promise<boolean | null> {
  if (batch.after !== undefined) return batch.after === follows;
  let after = await kv.get<string>(batchKey(batch));
  if (after === null) return null;
  for (let skipped = 0; skipped < MOST_SKIPPED && after !== null; skipped++) {
    if (after === follows) return true;
    after = await kv.get<string>(skippedKey(batch, after));
  }
  return false;
}

/** Remembers that a listed batch has nothing to save in its caller's terms, so that the caller's next one may pass it over. */
export async function rememberSkipped({ kv }: Deps, batch: Batch): Promise<void> {
  const after = await kv.get<string>(batchKey(batch));
  if (after !== null) await kv.set(skippedKey(batch, batch.through), after, KEPT_MS);
}

/**
 * Remembers what a built message follows on; the first build of the very same message decides.
 * @param by wallet of the caller
 * @throws AppError upstream_unavailable when more was saved since that build: the next blockhash makes another message
 */
export async function rememberBuilt({ kv }: Deps, by: string | null, built: Built, follows: string): Promise<void> {
  // An app may put the transfers into its own transaction days later. A stranger's build of the same transfers tells nothing.
  if (by === built.wallet) await kv.set(attachedKey(built), follows, KEPT_MS);
  if (await kv.setIfAbsent(builtKey(built), follows, BUILT_KEPT_MS)) return;
  if ((await kv.get(builtKey(built))) === follows) return;
  const cause = new UpstreamFault("rpc", "has no newer blockhash");
  throw new AppError("upstream_unavailable", { retryAfterSeconds: 1, cause });
}

/** Returns what a message that was built here follows on; undefined where nobody knows. */
export async function noteOf({ kv }: Deps, built: Built): Promise<string | undefined> {
  const [ofMessage, ofTransfers] = await kv.getMany<string>([builtKey(built), attachedKey(built)]);
  return ofMessage ?? ofTransfers ?? undefined;
}
