import { NOTHING_SAVED, toIsoWeek } from "../../../domain/marks";
import { formatExactUsd, fromMicroUsd, lamportsToUsd, toMicroUsd } from "../../../domain/money";
import { DAY_MS } from "../../../domain/prices/price-history";
import { ANY_THRESHOLD_USD, findRemainingLegs, type InvestRequest, type PurchaseRecord } from "../../flow/invest";
import { readStoredRecord } from "../../flow/record";
import type { SaveRequest } from "../../flow/save";
import type { TopupRequest } from "../../flow/topup";
import type { WrapRecord } from "../../flow/wraps";
import type { Spending } from "../../index";
import { toPublicRequest } from "../../requests";
import { findNextPortion, selectWithinLimit, sumChangeUsd } from "./decide";
import { SAVING_FLOWS, sumSavedInADay } from "./memory";
import {
  describeFailure,
  HISTORY_INCOMPLETE,
  type LandedWrap,
  type Outcome,
  payWithinCaps,
  recordSavings,
} from "./pay-within-caps";
import type { WatchWorld } from "./world";

/** In-memory state between polls. After a restart, the watch builds it again. */
export interface WatchState {
  /** Earliest time of the next attempt, per action. */
  notBefore: Partial<Record<"topup" | "save" | "invest", number>>;
  /** An unfinished read of the payments after `savedThrough`: the items so far, newest first, and the next cursor. */
  payments?: { savedThrough: string | null; items: Spending["items"]; before: string | null | undefined };
  /** True while the service is still reading the wallet's payments. */
  isReading?: boolean;
}

/** Poll interval while the service still reads the history; each request advances the read. */
const READING_POLL_MS = 10_000;
const NOT_READ = "Not everything has been read yet: the wallet's history is long. Reading goes on.";

/** Retry interval after a limit, an empty wallet or a pause; such a state rarely ends sooner. */
const REFUSED_RETRY_MS = 10 * 60_000;
/** Another program's transaction has landed or expired after this time. */
const ELSEWHERE_RETRY_MS = 90_000;
const UNKNOWN_RETRY_MS = 30_000;
/** Interval between balance checks. Only this watch usually changes the savings, so the interval is long. */
const BALANCE_MS = 10 * 60_000;
/** Payments per page; the API's maximum. */
const PAGE_SIZE = 50;

/**
 * Reads the current state and makes the payments that are due.
 * @returns milliseconds until the next poll
 * @throws {ApiError} when a retry may help @throws {NotAsShown} when it cannot
 */
export async function poll(world: WatchWorld, state: WatchState): Promise<number> {
  if (!(await finishUnfinished(world))) return UNKNOWN_RETRY_MS;
  const now = world.clock.now();
  const { weeklyUsd, intervalMs } = world.settings;
  const mayTry = (what: keyof WatchState["notBefore"]) => now >= (state.notBefore[what] ?? 0);
  if (weeklyUsd !== null && mayTry("topup")) await topUpIfDue(world, state, weeklyUsd);
  if (mayTry("save") && (await saveIfDue(world, state))) return 0;
  if (mayTry("invest")) await investIfDue(world, state);
  return state.isReading ? Math.min(READING_POLL_MS, intervalMs) : intervalMs;
}

/** Resolves payments left unfinished by any program with this storage. @returns true when every outcome is known */
async function finishUnfinished(world: WatchWorld): Promise<boolean> {
  const { roundup, storage, wallet } = world;
  const never = () => false;
  for (const name of SAVING_FLOWS) {
    const unfinished = await readStoredRecord<SaveRequest & TopupRequest, WrapRecord>(storage, name, wallet);
    if (!unfinished?.inFlight) continue;
    const result = await roundup[name](toPublicRequest(unfinished.request), never);
    if ("transactions" in result) await recordSavings(world, result.transactions);
    if (result.status === "unknown" || result.status === "earlier") return false;
    if (result.status !== "done") continue;
    const { period } = unfinished.request;
    if (name === "topup" && period) await world.memory.update({ toppedUp: period });
    logSaved(world, result.transactions, name === "save" ? unfinished.request.purchases.length : undefined);
  }
  const serviceWallet = await roundup.serviceWallet();
  const investment = await readStoredRecord<InvestRequest, PurchaseRecord>(storage, "invest", serviceWallet);
  if (!investment?.inFlight) return true;
  return (await roundup.invest(toPublicRequest(investment.request), never)).status !== "unknown";
}

/** Sets the time of the next attempt after one that saved nothing, and logs the reason. */
function postponeAction({ log, clock }: WatchWorld, state: WatchState, what: "topup" | "save", outcome: Outcome): void {
  const ms =
    outcome.kind === "elsewhere" ? ELSEWHERE_RETRY_MS : outcome.kind === "open" ? UNKNOWN_RETRY_MS : REFUSED_RETRY_MS;
  state.notBefore[what] = clock.now() + ms;
  // Do not start another saving while one is uncertain or belongs to another program: the daily total would omit it.
  if (outcome.kind === "elsewhere" || outcome.kind === "open") {
    state.notBefore.save = Math.max(state.notBefore.save ?? 0, clock.now() + ms);
  }
  if (outcome.kind === "held") log({ event: "waits", text: outcome.why });
  if (outcome.kind === "would") {
    const { roundUpUsd } = outcome.build.breakdown;
    const text = `would ${what === "save" ? "save" : "top up"} ${formatExactUsd(roundUpUsd)}`;
    log({ event: "would", text, amountUsd: roundUpUsd });
  }
}

async function topUpIfDue(world: WatchWorld, state: WatchState, amountUsd: number): Promise<void> {
  const period = toIsoWeek(world.clock.now());
  if ((await world.memory.read()).toppedUp === period) return;
  const outcome = await payWithinCaps(world, (confirm) => world.roundup.topup({ amountUsd, period }, confirm));
  const isMade = outcome.kind === "landed" || (outcome.kind === "elsewhere" && outcome.landed);
  if (isMade) await world.memory.update({ toppedUp: period });
  if (outcome.kind !== "landed") return postponeAction(world, state, "topup", outcome);
  const txSignatures = outcome.transactions.map(({ txSignature }) => txSignature);
  const text = `topped up ${formatExactUsd(amountUsd)} for ${period}: ${txSignatures}`;
  world.log({ event: "topped_up", text, txSignatures, amountUsd });
  state.notBefore.invest = 0;
}

/** Saves the next portion of change if it is due. @returns true if a saving landed, so that more may follow */
async function saveIfDue(world: WatchWorld, state: WatchState): Promise<boolean> {
  const { roundup, settings, memory, clock } = world;
  const spending = await roundup.spending({ limit: 1 });
  state.isReading = spending.isComplete === false;
  if (state.isReading) world.log({ event: "waits", text: NOT_READ });
  const changeUsd = sumChangeUsd(spending.batches, settings.terms);
  const portion = findNextPortion(spending.batches, settings.terms);
  const { waitingSinceMs } = await memory.read();
  const now = clock.now();
  if (portion === null) {
    // While the history is incomplete, waiting change may be in the part that has not been read.
    if (waitingSinceMs !== null && !state.isReading) await memory.update({ waitingSinceMs: null });
    return false;
  }
  if (waitingSinceMs === null) await memory.update({ waitingSinceMs: now });
  if (changeUsd < settings.everyUsd && now < (waitingSinceMs ?? now) + DAY_MS) return false;

  const reservedUsd = await sumReserved(world);
  const room = await readRoomOfToday(world, reservedUsd);
  if (room === null) {
    world.log({ event: "waits", text: HISTORY_INCOMPLETE });
    state.notBefore.save = now + UNKNOWN_RETRY_MS;
    return false;
  }
  // If today's limit is too small for the whole portion, save only its oldest payments.
  const part =
    room > 0 && portion.changeUsd > room
      ? selectWithinLimit(portion, await readAllPayments(world, state, spending.savedThrough), room, settings.terms)
      : null;
  const { purchasesUsd, through } = part ?? portion;
  const request = { ...settings.terms, purchasesUsd, through, after: spending.savedThrough ?? NOTHING_SAVED };
  const outcome = await payWithinCaps(world, (confirm) => roundup.save(request, confirm), reservedUsd);
  if (outcome.kind !== "landed") {
    postponeAction(world, state, "save", outcome);
    return false;
  }
  await memory.update({ waitingSinceMs: null });
  logSaved(world, outcome.transactions, purchasesUsd.length);
  state.notBefore.invest = 0;
  return true;
}

/** Returns the US dollars reserved for this week's top-up until it is made, because another watch may be making it. */
async function sumReserved({ settings, memory, clock }: WatchWorld): Promise<number> {
  const isMade = (await memory.read()).toppedUp === toIsoWeek(clock.now());
  return settings.weeklyUsd === null || isMade ? 0 : settings.weeklyUsd;
}

/** Returns the US dollars that may still be saved today; null while the day's savings are still being counted. */
async function readRoomOfToday(world: WatchWorld, reservedUsd: number): Promise<number | null> {
  const { prices } = await world.roundup.prices();
  const saved = await sumSavedInADay(world, prices.SOL);
  return saved === null ? null : world.settings.maxPerDayUsd - saved - reservedUsd;
}

/**
 * Returns all payments after `savedThrough`, oldest first. A failed read resumes at the same page in the next call,
 * because a stranger's dust can fill more pages than the rate limit allows per minute. Payments that arrive during the
 * read are not included.
 */
async function readAllPayments({ roundup }: WatchWorld, state: WatchState, savedThrough: string | null) {
  if (state.payments?.savedThrough !== savedThrough) state.payments = { savedThrough, items: [], before: undefined };
  const read = state.payments;
  while (read.before !== null) {
    const { items, nextBefore } = await roundup.spending({ limit: PAGE_SIZE, before: read.before });
    read.items.push(...items);
    read.before = nextBefore;
  }
  state.payments = undefined;
  return read.items.reverse();
}

async function investIfDue(world: WatchWorld, state: WatchState): Promise<void> {
  const { roundup, storage, settings, clock, log } = world;
  state.notBefore.invest = clock.now() + BALANCE_MS;
  const { thresholdUsd, slippageBps } = settings;
  const serviceWallet = await roundup.serviceWallet();
  const unfinished = await readStoredRecord<InvestRequest, PurchaseRecord>(storage, "invest", serviceWallet);
  const bought = (unfinished?.done ?? []).map(({ about }) => about.asset);
  const rest = bought.length > 0 ? findRemainingLegs(unfinished!.request.legs, bought) : null;
  if (rest === null && !(await roundup.accumulator(serviceWallet, thresholdUsd)).thresholdReached) return;
  const allocations = rest ?? settings.allocations;
  const request = { allocations, slippageBps, thresholdUsd: rest ? ANY_THRESHOLD_USD : thresholdUsd };
  let amountUsd = 0;
  const result = await roundup.invest(request, ({ transactions, prices }) => {
    amountUsd = lamportsToUsd(
      transactions.reduce((sum, { inputLamports }) => sum + inputLamports, 0),
      prices.SOL!,
    );
    return !settings.dryRun;
  });
  if (result.status === "done") {
    const txSignatures = result.transactions.map(({ txSignature }) => txSignature);
    const assets = result.transactions.map(({ about }) => about.asset).join(" and ");
    const text = `invested into ${assets}: ${txSignatures.join(" ")}`;
    return log({ event: "invested", text, txSignatures, amountUsd });
  }
  if (result.status === "refused") log({ event: "waits", text: result.reason });
  if (result.status === "cancelled") log({ event: "would", text: "would invest what is saved", amountUsd });
  if (result.status === "failed") {
    const outcome = describeFailure(result.error);
    if (outcome.kind === "held") log({ event: "waits", text: outcome.why });
  }
}

/** @param payments the number of payments whose change is saved; absent for a top-up */
function logSaved({ log }: WatchWorld, transactions: LandedWrap[], payments?: number): void {
  const microUsd = transactions.reduce((sum, { about }) => sum + toMicroUsd(about.breakdown.roundUpUsd), 0n);
  const amountUsd = fromMicroUsd(microUsd);
  const txSignatures = transactions.map(({ txSignature }) => txSignature);
  const of = payments === undefined ? "" : ` of ${payments} payments`;
  const text = `saved ${formatExactUsd(amountUsd)}${of}: ${txSignatures.join(" ")}`;
  log({ event: "saved", text, txSignatures, amountUsd, ...(payments !== undefined && { payments }) });
}
