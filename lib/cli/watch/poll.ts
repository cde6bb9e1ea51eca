import { findAssetByMint } from "../../domain/assets";
import { NOTHING_SAVED, toIsoWeek } from "../../domain/marks";
import { computeValueMicroUsd, formatExactUsd, fromMicroUsd, sumUsd, toMicroUsd } from "../../domain/money";
import { DAY_MS } from "../../domain/time";
import { sumRoundUpsUsd } from "../../sdk/amounts";
import {
  ANY_THRESHOLD_USD,
  findRemainingAllocations,
  type InvestmentRecord,
  type SwapBuild,
} from "../../sdk/flow/invest";
import { readStoredRecord } from "../../sdk/flow/record";
import type { TopupRequest } from "../../sdk/flow/topup";
import { isInUsdc, type WrapRecord } from "../../sdk/flow/wraps";
import type { Spending } from "../../sdk/index";
import type { InvestRequest, SaveRequest } from "../../sdk/requests";
import { SAVING_FLOWS } from "../state/ledger";
import {
  explainFailure,
  type LandedWrap,
  NOT_COUNTED_NOTE,
  payWithinLimits,
  readTightestLimit,
  settleSavings,
  type WatchOutcome,
} from "./pay-within-limits";
import { describePortion, findNextPortion, type Portion, selectWithinLimit } from "./portions";
import type { WatchContext } from "./watch-context";

/** In-memory state between polls. A restart of the watch may lose it without harm. */
export interface WatchState {
  /** The earliest time of each action's next attempt, ms since the Unix epoch. */
  nextAttemptMs: Partial<Record<"topup" | "save" | "invest", number>>;
  /** An unfinished read of the payments after `savedThrough`: the items so far, newest first, and the next cursor. */
  unfinishedRead?: { savedThrough: string | null; items: Spending["items"]; before: string | null | undefined };
  isHistoryIncomplete?: boolean;
}

/** Poll interval while the service still reads the history. Each request continues that read. */
const READING_POLL_MS = 10_000;
const HISTORY_NOT_READ_NOTE = "Not everything has been read yet: the wallet's history is long. Reading goes on.";

/** Time until a retry after a refusal. A limit, an empty wallet or a pause of the service rarely ends sooner. */
const REFUSED_RETRY_MS = 10 * 60_000;
const RETRY_MS = {
  not_sent: REFUSED_RETRY_MS,
  dry_run: REFUSED_RETRY_MS,
  /** The other program's transaction has then landed or expired. */
  elsewhere: 90_000,
  unknown: 30_000,
};
/** Interval between balance checks. It is long, because usually only this watch changes the savings. */
const BALANCE_INTERVAL_MS = 10 * 60_000;
/** The API's maximum. */
const PAGE_SIZE = 50;

/**
 * Makes the payments that are due. @returns milliseconds until the next poll
 * @throws {ApiError | Error} when the service fails or refuses, or a fatal error, see `isFatalError`
 */
export async function pollOnce(context: WatchContext, state: WatchState): Promise<number> {
  const isResolved = await context.ledger.runAlone(() => resolveUnfinished(context));
  if (isResolved === null) context.log({ event: "waits", text: "Another program of this wallet is paying." });
  if (!isResolved) return RETRY_MS.unknown;
  const nowMs = context.clock.now();
  const { weeklyUsd, intervalMs } = context.settings;
  const mayTry = (action: keyof WatchState["nextAttemptMs"]) => nowMs >= (state.nextAttemptMs[action] ?? 0);
  if (weeklyUsd !== null && mayTry("topup")) await topUpIfDue(context, state, weeklyUsd);
  if (mayTry("save") && (await saveIfDue(context, state))) return 0;
  if (mayTry("invest")) await investIfDue(context, state);
  return state.isHistoryIncomplete ? Math.min(READING_POLL_MS, intervalMs) : intervalMs;
}

/** Resolves the payments that programs with this storage left unfinished. @returns true when every outcome is known */
async function resolveUnfinished(context: WatchContext): Promise<boolean> {
  const { roundup, storage, wallet } = context;
  const declineBuild = () => false;
  for (const name of SAVING_FLOWS) {
    const unfinishedRecord = await readStoredRecord<SaveRequest & TopupRequest, WrapRecord>(storage, name, wallet);
    if (!unfinishedRecord?.inFlight) continue;
    const result = await roundup[name](unfinishedRecord.request, declineBuild);
    await settleSavings(context, name, result);
    if (result.status === "unknown" || result.status === "earlier") return false;
    if (result.status !== "done") continue;
    const { period } = unfinishedRecord.request;
    if (name === "topup" && period) await context.memory.updateState({ toppedUp: period });
    logSaved(context, result.transactions);
  }
  const unfinishedInvestment = await readStoredInvestment(context);
  if (!unfinishedInvestment?.inFlight) return true;
  return (await roundup.invest(unfinishedInvestment.request, declineBuild)).status !== "unknown";
}

const readStoredInvestment = async ({ roundup, storage }: WatchContext) =>
  readStoredRecord<InvestRequest, InvestmentRecord>(storage, "invest", await roundup.serviceWallet());

function postponeAction(
  { log, clock }: WatchContext,
  state: WatchState,
  action: "topup" | "save",
  outcome: Exclude<WatchOutcome, { kind: "landed" }>,
): void {
  const retryAtMs = clock.now() + RETRY_MS[outcome.kind];
  state.nextAttemptMs[action] = retryAtMs;
  // Do not start another saving while one is uncertain or belongs to another program: the totals would omit it.
  if (outcome.kind === "elsewhere" || outcome.kind === "unknown")
    state.nextAttemptMs.save = Math.max(state.nextAttemptMs.save ?? 0, retryAtMs);
  if (outcome.kind === "not_sent") log({ event: "waits", text: outcome.reason });
  if (outcome.kind === "dry_run") {
    const { roundUpUsd } = outcome.build.breakdown;
    const text = `would ${action === "save" ? "save" : "top up"} ${formatExactUsd(roundUpUsd)}`;
    log({ event: "would", text, amountUsd: roundUpUsd });
  }
}

async function topUpIfDue(context: WatchContext, state: WatchState, amountUsd: number): Promise<void> {
  const period = toIsoWeek(context.clock.now());
  const { payWith, by } = context.settings;
  if ((await context.memory.readState()).toppedUp === period) return;
  const outcome = await payWithinLimits(context, "topup", (confirm) =>
    context.roundup.topup({ amountUsd, period, payWith, by }, confirm),
  );
  const isMade = outcome.kind === "landed" || (outcome.kind === "elsewhere" && outcome.hasLanded);
  if (isMade) await context.memory.updateState({ toppedUp: period });
  if (outcome.kind !== "landed") return postponeAction(context, state, "topup", outcome);
  const txSignatures = outcome.transactions.map(({ txSignature }) => txSignature);
  const text = `topped up ${formatExactUsd(amountUsd)} for ${period}: ${txSignatures}`;
  context.log({ event: "topped_up", text, txSignatures, amountUsd });
  state.nextAttemptMs.invest = 0;
}

/** @returns true if a saving landed, so that more may follow */
async function saveIfDue(context: WatchContext, state: WatchState): Promise<boolean> {
  const { roundup, settings, memory, clock } = context;
  const spending = await roundup.spending({ limit: 1 });
  state.isHistoryIncomplete = spending.isComplete === false;
  if (state.isHistoryIncomplete) context.log({ event: "waits", text: HISTORY_NOT_READ_NOTE });
  const unsavedUsd = spending.batches.flatMap(({ txValuesUsd }) => txValuesUsd);
  const changeUsd = sumRoundUpsUsd(unsavedUsd, settings.terms);
  const portion = findNextPortion(spending.batches, settings.terms);
  const { waitingSinceMs } = await memory.readState();
  const nowMs = clock.now();
  if (portion === null) {
    // While the history is incomplete, waiting change may be in the part that has not been read.
    if (waitingSinceMs !== null && !state.isHistoryIncomplete) await memory.updateState({ waitingSinceMs: null });
    return false;
  }
  if (waitingSinceMs === null) await memory.updateState({ waitingSinceMs: nowMs });
  if (changeUsd < settings.everyUsd && nowMs < (waitingSinceMs ?? nowMs) + DAY_MS) return false;

  const reservedUsd = await readReservedUsd(context);
  const remainingUsd = await readRemainingUsd(context, reservedUsd);
  if (remainingUsd === null) {
    context.log({ event: "waits", text: NOT_COUNTED_NOTE });
    state.nextAttemptMs.save = nowMs + RETRY_MS.unknown;
    return false;
  }
  // If what the limits still allow is too small for the whole portion, save only its oldest payments.
  let fittingPortion = null;
  if (remainingUsd > 0 && portion.changeUsd > remainingUsd) {
    const payments = await readAllPayments(context, state, spending.savedThrough);
    fittingPortion = selectWithinLimit(portion, payments, remainingUsd, settings.terms);
  }
  const nextPortion = fittingPortion ?? portion;
  const { purchasesUsd, through } = nextPortion;
  const { terms, payWith, by } = settings;
  const request = { ...terms, payWith, by, purchasesUsd, through, after: spending.savedThrough ?? NOTHING_SAVED };
  const outcome = await payWithinLimits(context, "save", (confirm) => roundup.save(request, confirm), reservedUsd);
  if (outcome.kind !== "landed") {
    postponeAction(context, state, "save", outcome);
    return false;
  }
  await memory.updateState({ waitingSinceMs: null });
  logSaved(context, outcome.transactions, nextPortion);
  state.nextAttemptMs.invest = 0;
  return true;
}

/** Returns the US dollars reserved for this week's top-up until it is made, because another watch may be making it. */
async function readReservedUsd({ settings, memory, clock }: WatchContext): Promise<number> {
  const isMade = (await memory.readState()).toppedUp === toIsoWeek(clock.now());
  return settings.weeklyUsd === null || isMade ? 0 : settings.weeklyUsd;
}

/** Returns the US dollars that all limits still allow; null while the savings are still being counted. */
async function readRemainingUsd(context: WatchContext, reservedUsd: number): Promise<number | null> {
  const { prices } = await context.roundup.prices();
  const limit = await readTightestLimit(context, prices.SOL, reservedUsd);
  return limit && fromMicroUsd(limit.remainingMicroUsd);
}

/**
 * Returns all payments after `savedThrough`, oldest first. A failed read resumes at the same page, because a stranger's
 * dust can fill more pages than the rate limit allows per minute.
 */
async function readAllPayments({ roundup }: WatchContext, state: WatchState, savedThrough: string | null) {
  if (state.unfinishedRead?.savedThrough !== savedThrough)
    state.unfinishedRead = { savedThrough, items: [], before: undefined };
  const unfinishedRead = state.unfinishedRead;
  while (unfinishedRead.before !== null) {
    const { items, nextBefore } = await roundup.spending({ limit: PAGE_SIZE, before: unfinishedRead.before });
    unfinishedRead.items.push(...items);
    unfinishedRead.before = nextBefore;
  }
  state.unfinishedRead = undefined;
  return unfinishedRead.items.reverse();
}

async function investIfDue(context: WatchContext, state: WatchState): Promise<void> {
  const { roundup, settings, clock, log } = context;
  state.nextAttemptMs.invest = clock.now() + BALANCE_INTERVAL_MS;
  const { thresholdUsd, slippageBps, payWith } = settings;
  const unfinishedInvestment = await readStoredInvestment(context);
  const boughtAssets = (unfinishedInvestment?.done ?? []).map(({ about }) => about.asset);
  const remainingAllocations =
    boughtAssets.length > 0 ? findRemainingAllocations(unfinishedInvestment!.request, boughtAssets) : null;
  if (remainingAllocations === null) {
    const { balanceUsd, usdcUsd } = await roundup.accumulator(await roundup.serviceWallet(), thresholdUsd);
    // One investment spends only one of them. Only the user knows whether the other one is kept on purpose.
    if ((payWith === "USDC" ? usdcUsd : balanceUsd) < thresholdUsd) return;
  }
  const rest = { allocations: remainingAllocations!, slippageBps, thresholdUsd: ANY_THRESHOLD_USD };
  const request = remainingAllocations
    ? { ...unfinishedInvestment!.request, ...rest }
    : { allocations: settings.allocations, slippageBps, thresholdUsd, payWith };
  let amountUsd = 0;
  const result = await roundup.invest(request, ({ transactions, prices }) => {
    amountUsd = sumInputUsd(transactions, prices);
    return !settings.isDryRun;
  });
  if (result.status === "done") {
    const txSignatures = result.transactions.map(({ txSignature }) => txSignature);
    const assets = result.transactions.map(({ about }) => about.asset).join(" and ");
    const text = `invested into ${assets}: ${txSignatures.join(" ")}`;
    return log({ event: "invested", text, txSignatures, amountUsd });
  }
  if (result.status === "refused") log({ event: "waits", text: result.reason });
  if (result.status === "cancelled") log({ event: "would", text: "would invest what is saved", amountUsd });
  if (result.status === "failed") log({ event: "waits", text: explainFailure(result.error) });
}

function sumInputUsd(transactions: SwapBuild["transactions"], prices: SwapBuild["prices"]): number {
  const microUsd = transactions.map(({ inputMint, inputAmount, quote }) =>
    computeValueMicroUsd(BigInt(inputAmount), quote.inputDecimals, prices[findAssetByMint(inputMint)!]!),
  );
  return sumUsd(microUsd.map(fromMicroUsd));
}

/** Logs a saving or a top-up. @param portion the payments whose change is saved; absent where they are not known */
function logSaved({ log }: WatchContext, transactions: LandedWrap[], portion?: Portion): void {
  const microUsd = transactions.reduce((sum, { about }) => sum + toMicroUsd(about.breakdown.roundUpUsd), 0n);
  const amountUsd = fromMicroUsd(microUsd);
  const txSignatures = transactions.map(({ txSignature }) => txSignature);
  const paymentsText = portion ? ` from ${describePortion(portion)}` : "";
  const assetText = transactions.some(({ about }) => isInUsdc(about.breakdown)) ? " in USDC" : "";
  const text = `saved ${formatExactUsd(amountUsd)}${assetText}${paymentsText}: ${txSignatures.join(" ")}`;
  log({ event: "saved", text, txSignatures, amountUsd, ...(portion && { payments: portion.payments }) });
}
