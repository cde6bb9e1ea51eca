import { computePeriodClose, type Mark, NOTHING_SAVED, type SignedMark } from "../../../domain/marks";
import { DAY_MS } from "../../../domain/time";
import { AppError } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import { type ClaimRecord, readClaim, replaceClaim, type SavedMark, toClaimKey } from "../../records/claim-records";
import { readAhead } from "../../records/read-ahead";
import { isNewerPayment, readPaymentSlot } from "./batch-notes";
import { type FoundMark, type HistoryPosition, type MarkSearch, searchForMark, toProgressKey } from "./mark-search";

/*
 * Checks a saving against the marks on the chain.
 *
 * The problem: the store can be lost, flushed or rolled back. Its claims then lack savings that have landed, and a
 * wallet could save the same payments, period or reference twice.
 * The invariant: a saving takes its claim only if the marks on the chain allow it. For payments, the saving must name a
 * newer payment than the newest mark. Its batch must also start right after the payment that this mark names.
 * How it is kept: the wallet's history is searched for its newest mark, and the claim's record is updated from it. A
 * note (`after`) says which payment was saved last when the batch was read, and it must match the mark. Without a note,
 * slots are compared. A device that has read a payment has also read every mark that landed in an earlier slot. A mark
 * that landed in the same slot or later may have been missed, so the saving is refused.
 * Example: payments P1, P2 and P3 land in slots 10, 20 and 30. A device reads all three. In slot 40 a saving through P1
 * lands. The device now posts a saving through P3, which would save P1 again. Its note says "nothing saved", but P1 is
 * saved, so it is refused. Without a note it is refused too, because the mark's slot 40 is not before P3's slot 30. A
 * saving through P4, which lands in slot 50, passes without a note: a device that has read P4 has read the mark too.
 */

/** A saving that is about to take its claim. */
export interface NextSaving {
  txSignature: string;
  /** Value of its mark: a payment's signature, a period, or the hash of a reference. */
  value: string;
  /** Slot of the payment that a `through` mark names; 0 for other marks. */
  slot: number;
  /** The last payment saved when the batch was read, or NOTHING_SAVED. Undefined without a note. */
  after?: string | undefined;
}

const INCOMPLETE_HISTORY_TEXT =
  "This wallet's history on the chain is still being checked for what is saved already. Send the same again in a moment.";
/** Creates the error for a history that has not been read completely. The next call continues reading. */
export const createIncompleteHistoryError = () =>
  new AppError("upstream_unavailable", { message: INCOMPLETE_HISTORY_TEXT, retryAfterSeconds: 1 });
/** The search for a period's top-up goes back this long before the period closes: to over a year before it begins. */
const PERIOD_SEARCH_MS = 430 * DAY_MS;

/**
 * Refuses a saving that a mark on the chain forbids, and updates the claim's record in the store from the chain. After
 * such an update the caller's compare-and-swap on `record` fails, and the caller must read the record again.
 * @param record the claim's record as the caller has read it
 * @param newestSlot the newest slot seen so far
 * @throws AppError already_saved; upstream_unavailable while the history has not been read completely
 */
export async function enforceChainMarks(
  deps: Deps,
  signedMark: SignedMark,
  nextSaving: NextSaving,
  record: ClaimRecord | null,
  newestSlot: number,
): Promise<void> {
  const lastSaved = record?.saved ?? null;
  const isTooOld = createSearchEndPredicate(deps, signedMark.mark, nextSaving, lastSaved);
  const minSlot = Math.max(newestSlot, findNewestSlot(deps, [nextSaving, lastSaved]));
  const { isComplete, found } = await searchForMark(deps, signedMark, isTooOld, minSlot);
  if (!isComplete) throw createIncompleteHistoryError();
  if (!found) return;
  const { txSignature } = found;
  // This very transaction has landed. The node that reported its state as unknown was behind, so the caller must retry.
  if (txSignature === nextSaving.txSignature) throw createIncompleteHistoryError();
  if (signedMark.mark.kind !== "through") {
    const saved = { value: nextSaving.value, slot: 0, message: "", txSignature };
    await replaceClaim(deps, signedMark, record, { held: record?.held ?? null, saved });
    throw new AppError("already_saved", { txSignature });
  }
  const markedPayment = await locatePayment(deps, signedMark.wallet, found, lastSaved);
  if (markedPayment && !(await isNewerPayment(deps, signedMark.wallet, nextSaving, markedPayment))) {
    await recordPaymentIfNewer(deps, signedMark, record, markedPayment);
    throw new AppError("already_saved", { txSignature });
  }
  const mayHaveMissedMark = nextSaving.after === undefined && found.slot >= nextSaving.slot;
  if (mayHaveMissedMark || (!markedPayment && nextSaving.after !== undefined && nextSaving.after !== found.value))
    throw new AppError("already_saved", { txSignature });
  if (markedPayment) await recordPaymentIfNewer(deps, signedMark, record, markedPayment);
}

/**
 * Returns a wallet's last saved payment: the newer one of the store's record and the newest mark on the chain. Updates
 * the record if the chain is newer.
 * @param sinceMs start of the listing if nothing is saved, ms since the epoch
 * @returns `saved`: null if no payment is saved; `isComplete`: false if the chain may hold a newer mark
 */
export async function syncLastSaved(
  liveDeps: Deps,
  wallet: string,
  sinceMs: number,
): Promise<Pick<MarkSearch, "isComplete" | "callCount"> & { saved: SavedMark | null }> {
  const signedMark: SignedMark = { wallet, mark: { kind: "through", value: "" } };
  const deps = await readAhead(liveDeps, [toClaimKey(signedMark), toProgressKey(signedMark)]);
  const record = await readClaim(deps, signedMark);
  const lastSaved = record?.saved ?? null;
  const isTooOld = (position: HistoryPosition) =>
    lastSaved ? position.slot < lastSaved.slot : isBefore(position, sinceMs);
  const { found, ...search } = await searchForMark(deps, signedMark, isTooOld, findNewestSlot(deps, [lastSaved]));
  const markedPayment = found && (await locatePayment(deps, wallet, found, lastSaved));
  const isRecorded = markedPayment ? await recordPaymentIfNewer(deps, signedMark, record, markedPayment) : false;
  const callCount = search.callCount + (found && markedPayment !== lastSaved ? LOCATE_CALL_COUNT : 0);
  return { ...search, saved: isRecorded ? markedPayment : lastSaved, callCount };
}

/** The usual number of node calls to locate a payment and compare it with the recorded one. */
const LOCATE_CALL_COUNT = 3;

/** Returns the payment that a mark names, in the form of a claim's record; null if the node has no such payment. */
async function locatePayment(
  deps: Deps,
  wallet: string,
  { value }: FoundMark,
  lastSaved: SavedMark | null,
): Promise<SavedMark | null> {
  if (value === lastSaved?.value) return lastSaved;
  const slot = await readPaymentSlot(deps, wallet, value, findNewestSlot(deps, [lastSaved]));
  return slot === null ? null : { value, slot, message: "" };
}

/**
 * Records the payment that the chain shows as saved, unless the store's record is at least as new, or is no longer
 * `record`.
 * @returns whether the payment is newer than the record
 */
async function recordPaymentIfNewer(
  deps: Deps,
  signedMark: SignedMark,
  record: ClaimRecord | null,
  markedPayment: SavedMark,
): Promise<boolean> {
  if (record?.saved && !(await isNewerPayment(deps, signedMark.wallet, markedPayment, record.saved))) return false;
  await replaceClaim(deps, signedMark, record, { held: record?.held ?? null, saved: markedPayment });
  return true;
}

/** Returns the newest slot known, from the watched signatures and from these payments. */
const findNewestSlot = ({ signatureWatch }: Deps, payments: (Pick<SavedMark, "slot"> | null)[]) =>
  Math.max(signatureWatch.getHighestSlot(), ...payments.map((payment) => payment?.slot ?? 0));

/**
 * Creates a test for the positions at which the search for a saving's mark may stop.
 * - Reference: the history of its key is searched completely.
 * - Top-up: the whole history is searched if the period is over a year away or is not a date.
 * - Payments: a device that has read the named payment has read all marks before it, so older marks cannot matter. With
 *   a note that names a saved payment, the search continues until it finds the newest mark.
 */
function createSearchEndPredicate(
  { clock }: Deps,
  { kind }: Mark,
  { value, slot, after }: NextSaving,
  lastSaved: SavedMark | null,
): (position: HistoryPosition) => boolean {
  if (kind === "ref") return () => false;
  if (kind === "topup") {
    const oldestMs = (computePeriodClose(value) ?? Number.POSITIVE_INFINITY) - PERIOD_SEARCH_MS;
    const isLimited = clock.now() >= oldestMs;
    return (position) => isLimited && isBefore(position, oldestMs);
  }
  if (after !== undefined && after !== NOTHING_SAVED) return () => false;
  const oldestSlot = Math.min(slot, lastSaved?.slot ?? slot);
  return (position) => position.slot < oldestSlot;
}

const isBefore = ({ blockTime }: HistoryPosition, timeMs: number) => blockTime !== null && blockTime * 1000 < timeMs;
