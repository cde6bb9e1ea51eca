import { NOTHING_SAVED, periodClosesAt, type SignedMark } from "../../../domain/marks";
import { AppError } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import { type ClaimRecord, readClaim, replaceClaim, type SavedMark } from "../relay/claim-records";
import type { SeenSlot } from "../relay/relay-records";
import { type FoundMark, lookForMark, type Place } from "./mark-look";
import { isNewer, slotOfThrough } from "./through";

/**
 * The chain is the truth for marks: a store that was lost, flushed or rolled back must not let a wallet save the same
 * payments, or the same period, twice.
 *
 * A saving of payments must name a newer payment than the newest mark does, and follow on that mark. The record of the
 * claim checks both, once it is as new as the chain. Without a note of what a saving follows on, only time can prove it:
 * its payments were read after the payment that it names landed, so they were read with every mark that landed before. A
 * mark that landed later may have been missed, and refuses the saving.
 *
 * Example: P1, P2 and P3 land in slots 10, 20 and 30. A device reads [P1 P2 P3]. In slot 40, a saving through P1 lands.
 * The device's saving through P3 names a newer payment than P1, and would save P1 again. With the note `after: none` it
 * does not follow on P1. Without a note it is refused as well, because slot 40 is not before slot 30. A saving through P4,
 * which lands in slot 50, needs no note: whoever has seen P4 has seen the mark of slot 40.
 */

/** A saving that is about to take its claim. */
export interface NextSaving {
  txSignature: string;
  /** As its mark names it. */
  value: string;
  /** Slot of the payment that `through` names; 0 for a top-up. */
  slot: number;
  /** What was saved when its payments were read, NOTHING_SAVED included; undefined where nobody noted it. */
  after?: string | undefined;
}

const CHECKING =
  "This wallet's history on the chain is still being checked for what is saved already. Post the same again in a moment.";
/** From about a year before a period until it closes: the look for its top-up goes back so far, and no further. */
const OPEN_MS = 430 * 86_400_000;

/**
 * Refuses a saving that a mark on the chain forbids. Brings the claim's record up to date with the chain: if `seen` was
 * older, the caller's own write, which expects `seen`, fails.
 * @throws AppError already_saved; upstream_unavailable while the history has not been read
 */
export async function refuseMarkedOnChain(
  deps: Deps,
  signed: SignedMark,
  next: NextSaving,
  seen: ClaimRecord | null,
  newest: SeenSlot,
): Promise<void> {
  const saved = seen?.saved ?? null;
  const isTooOld = signed.mark.kind === "topup" ? beforePeriod(deps, next.value) : beforePayments(next, saved);
  const { isComplete, found } = await lookForMark(deps, signed, isTooOld, seenSlot(deps, [next, saved, newest]));
  if (!isComplete) throw new AppError("upstream_unavailable", { message: CHECKING, retryAfterSeconds: 1 });
  if (!found) return;
  const { txSignature } = found;
  // It has landed, which the node that was asked for its state did not know yet.
  if (txSignature === next.txSignature)
    throw new AppError("upstream_unavailable", { message: CHECKING, retryAfterSeconds: 1 });
  if (signed.mark.kind === "topup") {
    await recordSaved(deps, signed, seen, { value: next.value, slot: 0, message: "" });
    throw new AppError("already_saved", { txSignature });
  }
  const point = await pointOf(deps, signed.wallet, found, saved);
  if (point && !(await isNewer(deps, signed.wallet, next, point))) {
    await recordNewer(deps, signed, seen, point);
    throw new AppError("already_saved", { txSignature });
  }
  const isUnknown = next.after === undefined && found.slot >= next.slot;
  if (isUnknown || (!point && next.after !== undefined && next.after !== found.value))
    throw new AppError("already_saved", { txSignature });
  if (point) await recordNewer(deps, signed, seen, point);
}

export interface SavedLook {
  /** The last payment that is saved; null: none. */
  saved: SavedMark | null;
  /** Whether no mark on the chain can be newer. */
  isComplete: boolean;
  /** Calls of the node. */
  calls: number;
}

/**
 * Finds the last payment of a wallet that is saved, by the store's record and by the marks on the chain, whichever is newer.
 * @param sinceMs where payments begin while none is saved
 */
export async function lookUpSaved(deps: Deps, wallet: string, sinceMs: number): Promise<SavedLook> {
  const signed: SignedMark = { wallet, mark: { kind: "through", value: "" } };
  const seen = await readClaim(deps, signed);
  const saved = seen?.saved ?? null;
  const isTooOld = (place: Place) => (saved ? place.slot < saved.slot : isBefore(place, sinceMs));
  const { found, ...look } = await lookForMark(deps, signed, isTooOld, seenSlot(deps, [saved]));
  const point = found && (await pointOf(deps, wallet, found, saved));
  const isRecorded = point ? await recordNewer(deps, signed, seen, point) : false;
  const calls = look.calls + (point === saved ? 0 : POINT_CALLS);
  return { ...look, saved: isRecorded ? point : saved, calls };
}

/** Calls of the node that tell which of two payments is newer. */
const POINT_CALLS = 3;

/** Returns what a mark names as the record of a claim has it; null when the node has no such payment. */
async function pointOf(
  deps: Deps,
  wallet: string,
  { value }: FoundMark,
  saved: SavedMark | null,
): Promise<SavedMark | null> {
  if (value === saved?.value) return saved;
  const slot = await slotOfThrough(deps, wallet, value, { slot: seenSlot(deps, [saved]) });
  return slot === null ? null : { value, slot, message: "" };
}

/** Records what the chain says is saved, unless the record is as new. @returns whether the chain was newer */
async function recordNewer(
  deps: Deps,
  signed: SignedMark,
  seen: ClaimRecord | null,
  point: SavedMark,
): Promise<boolean> {
  if (seen?.saved && !(await isNewer(deps, signed.wallet, point, seen.saved))) return false;
  await recordSaved(deps, signed, seen, point);
  return true;
}

/** Leaves a record alone that has changed since it was seen. */
async function recordSaved(deps: Deps, signed: SignedMark, seen: ClaimRecord | null, saved: SavedMark): Promise<void> {
  await replaceClaim(deps, signed, seen, { held: seen?.held ?? null, saved });
}

/** The newest slot that is known to be on the chain. */
const seenSlot = ({ watch }: Deps, points: (Pick<SavedMark, "slot"> | null)[]) =>
  Math.max(watch.highestSlot(), ...points.map((point) => point?.slot ?? 0));

/**
 * Marks that landed before the payment that a saving names were there when its payments were read. With a note, its
 * mark itself is looked for: the look ends at the newest mark anyway.
 */
function beforePayments({ slot, after }: NextSaving, saved: SavedMark | null): (place: Place) => boolean {
  if (after !== undefined && after !== NOTHING_SAVED) return () => false;
  const oldest = Math.min(slot, saved?.slot ?? slot);
  return (place) => place.slot < oldest;
}

/** A top-up that is made more than a year ahead, as under any other name, is looked for in the whole history. */
function beforePeriod({ clock }: Deps, period: string): (place: Place) => boolean {
  const closesAt = periodClosesAt(period);
  if (closesAt === null || clock.now() < closesAt - OPEN_MS) return () => false;
  return (place) => isBefore(place, closesAt - OPEN_MS);
}

const isBefore = ({ blockTime }: Place, ms: number) => blockTime !== null && blockTime * 1000 < ms;
