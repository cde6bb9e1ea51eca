import {
  computePeriodClose,
  createThroughMark,
  NOTHING_SAVED,
  OLDEST_MARK_MS,
  type SignedMark,
} from "../../../domain/marks";
import { DAY_MS } from "../../../domain/time";
import { AppError, createFieldError } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import {
  type ClaimRecord,
  createAlreadySavedError,
  readClaim,
  replaceClaim,
  type SavedMark,
} from "../../records/claim-records";
import { type MarkSearch, readSearchProgress, searchForMark } from "./mark-search";
import type { HistoryPosition, SearchProgress } from "./mark-span";
import { isLaterPayment, type PaymentPosition, readPaymentSlot } from "./payment-slot";

/*
 * Decides whether a saving is the next one of its wallet.
 *
 * A saving of payments is valid only if its `after` is the wallet's newest saved payment, and if its last payment lies
 * in a later slot. A period or a reference is saved once. The newest saved payment is the newest one that any valid mark
 * on the chain names, or that the claim's record names. A build searches the whole history before the wallet signs.
 * `executeTransaction` searches only what is newer, in one call. A batch never ends inside a slot, so the order of
 * payments within a slot does not matter.
 */

export interface StoredStanding {
  record: ClaimRecord | null;
  progress: SearchProgress | null;
}

/** Reads what the store knows about a mark. Both reads start in one tick, so that a shared store gets one command. */
export async function readStoredStanding(deps: Deps, signedMark: SignedMark): Promise<StoredStanding> {
  const [record, progress] = await Promise.all([readClaim(deps, signedMark), readSearchProgress(deps, signedMark)]);
  return { record, progress };
}

/** `isUpdated`: the record was replaced, or could not be, so the one that was read is out of date. */
type Saved = Pick<MarkSearch, "isComplete" | "callCount"> & { saved: SavedMark | null; isUpdated: boolean };

/**
 * Returns the newest saved payment, or how this period or reference was saved; null if nothing is. Updates the claim's
 * record if the chain is newer.
 * @param minSlot the newest slot seen so far
 * @returns `isComplete`: false if the chain may hold a newer mark
 */
export async function findSaved(
  deps: Deps,
  signedMark: SignedMark,
  { record, progress }: StoredStanding,
  minSlot = 0,
): Promise<Saved> {
  const recorded = record?.saved ?? null;
  if (recorded && signedMark.mark.kind !== "through")
    return { saved: recorded, isComplete: true, callCount: 0, isUpdated: false };
  const newestSlot = Math.max(minSlot, recorded?.slot ?? 0, deps.signatureWatch.getHighestSlot());
  const isTooOld = createSearchEndPredicate(deps, signedMark, recorded);
  const { found, ...search } = await searchForMark(deps, signedMark, progress, isTooOld, newestSlot);
  if (!found || (recorded && !isLaterPayment(found, recorded))) {
    // The record of payments does not store the signature of its saving.
    const isNamed = recorded && found?.value === recorded.value;
    return { ...search, saved: isNamed ? { ...recorded, txSignature: found.txSignature } : recorded, isUpdated: false };
  }
  const saved: SavedMark = { ...found, message: "" };
  await replaceClaim(deps, signedMark, record, { held: record?.held ?? null, saved });
  return { ...search, saved, isUpdated: true };
}

const INCOMPLETE_HISTORY_TEXT =
  "This wallet's history on the chain is still being checked for what is saved already. Send the same again in a moment.";
export const createIncompleteHistoryError = () =>
  new AppError("upstream_unavailable", { message: INCOMPLETE_HISTORY_TEXT, retryAfterSeconds: 1 });

/**
 * Refuses a saving that is not the next one.
 * @param slot slot of the payment that a `through` mark names
 * @param message explains that a period or a reference is saved
 */
export function refuseUnlessNext({ mark }: SignedMark, slot: number, saved: SavedMark | null, message?: string): void {
  if (mark.kind !== "through") {
    if (saved) throw createAlreadySavedError(saved, message);
    return;
  }
  const { after } = createThroughMark(mark.value, saved?.value ?? NOTHING_SAVED);
  if (mark.after === after && (!saved || slot > saved.slot)) return;
  throw saved ? createAlreadySavedError(saved) : new AppError("already_saved");
}

/**
 * Refuses the build of a batch that is not the next one.
 * @param through signature of its newest payment
 * @param after the newest payment that was saved when the batch was read, or NOTHING_SAVED
 * @returns its mark
 * @throws AppError invalid_request, already_saved; upstream_unavailable while the history has not been read completely
 */
export async function requireNextBatch(deps: Deps, wallet: string, through: string, after: string) {
  const signedMark: SignedMark = { wallet, mark: createThroughMark(through, after) };
  // The build needs the blockhash anyway. A node that has not reached the blockhash's slot lags.
  const [{ slot: blockhashSlot }, standing] = await Promise.all([
    deps.rpc.readLatestBlockhash(),
    readStoredStanding(deps, signedMark),
  ]);
  const newestSlot = Math.max(blockhashSlot, deps.signatureWatch.getHighestSlot());
  const [slot, { saved, isComplete }] = await Promise.all([
    readPaymentSlot(deps, wallet, through, newestSlot),
    findSaved(deps, signedMark, standing, newestSlot),
  ]);
  if (slot === null) throw createFieldError("through", "names no confirmed payment of userPubkey");
  if (!isComplete) throw createIncompleteHistoryError();
  refuseUnlessNext(signedMark, slot, saved);
  return signedMark.mark;
}

/** The search for a period's top-up goes back to over a year before it begins. */
const PERIOD_SEARCH_MS = 430 * DAY_MS;

/**
 * Creates a test for the positions at which the search may stop: never for a reference; over a year before the period of
 * a top-up, or at the oldest mark if the period is over a year away or no date; for payments, at the recorded payment or
 * the oldest mark.
 */
function createSearchEndPredicate(
  { clock }: Deps,
  { mark: { kind, value } }: SignedMark,
  recorded: PaymentPosition | null,
): (position: HistoryPosition) => boolean {
  if (kind === "ref") return () => false;
  const periodStartMs = (kind === "topup" ? (computePeriodClose(value) ?? 0) : 0) - PERIOD_SEARCH_MS;
  const oldestMs = clock.now() < periodStartMs ? OLDEST_MARK_MS : Math.max(periodStartMs, OLDEST_MARK_MS);
  return ({ slot, blockTime }) => slot < (recorded?.slot ?? 0) || (blockTime !== null && blockTime * 1000 < oldestMs);
}
