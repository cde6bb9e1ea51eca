import { NOTHING_SAVED } from "../../../domain/marks";
import { type InvestRequest, type PurchaseRecord, remainingLegs } from "../../flow/invest";
import type { SaveRequest } from "../../flow/save";
import type { TopupRequest } from "../../flow/topup";
import type { WrapRecord } from "../../flow/wraps";
import type { Spending } from "../../index";
import { usd } from "../output/format";
import { DAY_MS } from "../state/day";
import { fittingPart, nextPortion, type Portion, totalChangeUsd, weekOf } from "./decide";
import { FLOWS, savedInADay, unfinishedOf } from "./memory";
import { describeFailure, type Outcome, payWithin, remember, UNCOUNTED } from "./pay-within-caps";
import type { WatchWorld } from "./world";

/** What is not to be tried again before its time; it is found anew after a restart. */
export interface WatchState {
  /** By what is tried. */
  notBefore: Partial<Record<"topup" | "save" | "invest", number>>;
  /** Of payments after that mark that are still being read, what is there, newest first, and where it goes on. */
  payments?: { savedThrough: string | null; items: Spending["items"]; before: string | null | undefined };
  /** Whether the service has not read all payments yet. */
  isReading?: boolean;
}

/** Each answer reads on where the one before stopped. */
const READ_ON_MS = 10_000;
const NOT_READ = "Not everything has been read yet: the wallet's history is long. Reading goes on.";

/** A limit, an empty wallet or a pause hardly passes sooner. */
const HELD_MS = 10 * 60_000;
/** Another program's transaction has landed or run out by then. */
const ELSEWHERE_MS = 90_000;
const OPEN_MS = 30_000;
/** What is saved moves only by us, mostly: the balance is looked at seldom. */
const BALANCE_MS = 10 * 60_000;
const ANY_THRESHOLD_USD = 0.01;
/** Payments of a page, the most there are. */
const PAGE = 50;

/**
 * One look at everything, and what follows from it.
 * @returns milliseconds until the next one
 * @throws {ApiError} where trying again may help @throws {NotAsShown} where not
 */
export async function poll(world: WatchWorld, state: WatchState): Promise<number> {
  if (!(await finishUnfinished(world))) return OPEN_MS;
  const now = world.clock.now();
  const may = (what: keyof WatchState["notBefore"]) => now >= (state.notBefore[what] ?? 0);
  if (world.settings.weeklyUsd !== null && may("topup")) await topUp(world, state, world.settings.weeklyUsd);
  if (may("save") && (await save(world, state))) return 0;
  if (may("invest")) await invest(world, state);
  return state.isReading ? Math.min(READ_ON_MS, world.settings.intervalMs) : world.settings.intervalMs;
}

/** Learns what became of what was under way, whoever left it so. @returns whether all of it is known */
async function finishUnfinished(world: WatchWorld): Promise<boolean> {
  const { roundup, storage, wallet } = world;
  const never = () => false;
  for (const name of FLOWS) {
    const left = await unfinishedOf<SaveRequest & TopupRequest, WrapRecord>(storage, name, wallet);
    if (!left?.inFlight) continue;
    const result = await roundup[name](left.request, never);
    if ("transactions" in result) await remember(world, result.transactions);
    if (result.status === "unknown" || result.status === "earlier") return false;
    if (result.status !== "done") continue;
    if (name === "topup" && left.request.period) await world.memory.change({ toppedUp: left.request.period });
    tellSaved(
      world,
      result.transactions.map(({ about }) => about.breakdown.roundUpUsd),
      result.transactions,
    );
  }
  const bought = await unfinishedOf<InvestRequest, PurchaseRecord>(storage, "invest", await roundup.serviceWallet());
  return !bought?.inFlight || (await roundup.invest(bought.request, never)).status !== "unknown";
}

function waitForPerson(
  { log, clock }: WatchWorld,
  state: WatchState,
  what: "topup" | "save" | "invest",
  outcome: Outcome,
): void {
  const ms = outcome.kind === "elsewhere" ? ELSEWHERE_MS : outcome.kind === "open" ? OPEN_MS : HELD_MS;
  state.notBefore[what] = clock.now() + ms;
  // While one saving is uncertain, or another program's, no other one is begun: the limit would be reckoned without it.
  if (outcome.kind === "elsewhere" || outcome.kind === "open") {
    state.notBefore.save = Math.max(state.notBefore.save ?? 0, clock.now() + ms);
  }
  if (outcome.kind === "held") log({ event: "waits", text: outcome.why });
  if (outcome.kind === "would") {
    const { roundUpUsd } = outcome.build.breakdown;
    log({ event: "would", text: `would ${what === "save" ? "save" : "top up"} ${usd(roundUpUsd)}` });
  }
}

async function topUp(world: WatchWorld, state: WatchState, amountUsd: number): Promise<void> {
  const period = weekOf(world.clock.now());
  if ((await world.memory.read()).toppedUp === period) return;
  const outcome = await payWithin(world, (confirm) => world.roundup.topup({ amountUsd, period }, confirm));
  const isMade = outcome.kind === "landed" || (outcome.kind === "elsewhere" && outcome.landed);
  if (isMade) await world.memory.change({ toppedUp: period });
  if (outcome.kind !== "landed") return waitForPerson(world, state, "topup", outcome);
  const { txSignatures } = outcome;
  world.log({ event: "topped_up", text: `topped up ${usd(amountUsd)} for ${period}: ${txSignatures}`, txSignatures });
  state.notBefore.invest = 0;
}

/** @returns whether something was saved, so that there may be more */
async function save(world: WatchWorld, state: WatchState): Promise<boolean> {
  const { roundup, settings, memory, clock } = world;
  const spending = await roundup.spending({ limit: 1 });
  state.isReading = spending.isComplete === false;
  if (state.isReading) world.log({ event: "waits", text: NOT_READ });
  const changeUsd = totalChangeUsd(spending.batches, settings.terms);
  const portion = nextPortion(spending.batches, settings.terms);
  const { waitingSinceMs } = await memory.read();
  const now = clock.now();
  if (portion === null) {
    // Change that waits may be among what has not been read.
    if (waitingSinceMs !== null && !state.isReading) await memory.change({ waitingSinceMs: null });
    return false;
  }
  if (waitingSinceMs === null) await memory.change({ waitingSinceMs: now });
  if (changeUsd < settings.everyUsd && now < (waitingSinceMs ?? now) + DAY_MS) return false;

  const reservedUsd = await reservedFor(world);
  const room = await roomOfToday(world, reservedUsd);
  if (room === null) {
    world.log({ event: "waits", text: UNCOUNTED });
    state.notBefore.save = now + OPEN_MS;
    return false;
  }
  const { purchases, through } = await partWithin(world, state, portion, spending.savedThrough, room);
  const after = spending.savedThrough ?? NOTHING_SAVED;
  const outcome = await payWithin(
    world,
    (confirm) => roundup.save({ ...settings.terms, purchases, through, after }, confirm),
    reservedUsd,
  );
  if (outcome.kind !== "landed") {
    waitForPerson(world, state, "save", outcome);
    return false;
  }
  await memory.change({ waitingSinceMs: null });
  const landed = outcome.txSignatures.map((txSignature) => ({ txSignature }));
  tellSaved(
    world,
    outcome.breakdowns.map(({ roundUpUsd }) => roundUpUsd),
    landed,
    purchases.length,
  );
  state.notBefore.invest = 0;
  return true;
}

/** This week's top-up, until it is known to be made, is part of what today may take: another watch may be making it. */
async function reservedFor({ settings, memory, clock }: WatchWorld): Promise<number> {
  const isMade = (await memory.read()).toppedUp === weekOf(clock.now());
  return settings.weeklyUsd === null || isMade ? 0 : settings.weeklyUsd;
}

/** US dollars; null while it is not counted what is saved. */
async function roomOfToday(world: WatchWorld, reservedUsd: number): Promise<number | null> {
  const { roundup, settings, clock } = world;
  const { prices } = await roundup.prices();
  const saved = await savedInADay({ ...world, now: clock.now(), solPriceUsd: prices.SOL });
  return saved === null ? null : settings.maxPerDayUsd - saved - reservedUsd;
}

/** Of more than the day has room for, the oldest payments that fit. */
async function partWithin(
  world: WatchWorld,
  state: WatchState,
  portion: Portion,
  savedThrough: string | null,
  room: number,
): Promise<Portion> {
  if (portion.changeUsd <= room || room <= 0) return portion;
  const payments = await allPayments(world, state, savedThrough);
  return fittingPart(portion, payments, room, world.settings.terms) ?? portion;
}

/**
 * Oldest first. Where a call fails it goes on there the next time: among a stranger's dust there may be more pages than a
 * minute has calls. What is newer than the first of them is not among them.
 */
async function allPayments(
  { roundup }: WatchWorld,
  state: WatchState,
  savedThrough: string | null,
): Promise<Spending["items"]> {
  if (state.payments?.savedThrough !== savedThrough) state.payments = { savedThrough, items: [], before: undefined };
  const read = state.payments;
  while (read.before !== null) {
    const { items, nextBefore } = await roundup.spending({ limit: PAGE, before: read.before });
    read.items.push(...items);
    read.before = nextBefore;
  }
  state.payments = undefined;
  return read.items.reverse();
}

async function invest(world: WatchWorld, state: WatchState): Promise<void> {
  const { roundup, storage, settings, clock, log } = world;
  state.notBefore.invest = clock.now() + BALANCE_MS;
  const { thresholdUsd, slippageBps } = settings;
  const serviceWallet = await roundup.serviceWallet();
  const left = await unfinishedOf<InvestRequest, PurchaseRecord>(storage, "invest", serviceWallet);
  const bought = (left?.done ?? []).map(({ about }) => about.asset);
  const rest = bought.length > 0 ? remainingLegs(left!.request.legs, bought) : null;
  if (rest === null && !(await roundup.accumulator(serviceWallet, thresholdUsd)).thresholdReached) return;
  const request = { legs: rest ?? settings.legs, slippageBps, thresholdUsd: rest ? ANY_THRESHOLD_USD : thresholdUsd };
  const result = await roundup.invest(request, () => !settings.dryRun);
  if (result.status === "done") {
    const txSignatures = result.transactions.map(({ txSignature }) => txSignature);
    const assets = result.transactions.map(({ about }) => about.asset).join(" and ");
    return log({ event: "invested", text: `invested into ${assets}: ${txSignatures.join(" ")}`, txSignatures });
  }
  if (result.status === "refused") log({ event: "waits", text: result.reason });
  if (result.status === "cancelled") log({ event: "would", text: "would invest what is saved" });
  if (result.status === "failed") {
    const outcome = describeFailure(result.error);
    if (outcome.kind === "held") log({ event: "waits", text: outcome.why });
  }
}

function tellSaved({ log }: WatchWorld, amounts: number[], landed: { txSignature: string }[], count?: number): void {
  const txSignatures = landed.map(({ txSignature }) => txSignature);
  const total = amounts.reduce((sum, amount) => sum + amount, 0);
  const of = count === undefined ? "" : ` of ${count} payments`;
  log({ event: "saved", text: `saved ${usd(total)}${of}: ${txSignatures.join(" ")}`, txSignatures });
}
