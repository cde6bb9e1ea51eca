import { formatExactUsd } from "../../domain/money";
import { DAY_MS } from "../../domain/time";
import type { LandedStep } from "../../sdk/flow/record";
import type { WrapBreakdown, WrapRecord } from "../../sdk/flow/wraps";
import {
  AnotherTextError,
  ApiError,
  NotAsShown,
  type Result,
  type SaveBuild,
  WrongAccountError,
} from "../../sdk/index";
import { formatSol } from "../output/text";
import type { WatchContext } from "./watch-context";
import { sumSavedInADay, toSavingUsd } from "./watch-memory";

/** The landed transaction of a saving or a top-up. */
export type LandedWrap = LandedStep<WrapRecord>;

/** The outcome of a payment that the watch started. */
export type WatchOutcome =
  | { kind: "landed"; transactions: LandedWrap[] }
  /** Nothing was sent, for this reason. The watch retries later. */
  | { kind: "not_sent"; reason: string }
  /** Another program saves the same. `hasLanded` is true if that program's payment has certainly landed. */
  | { kind: "elsewhere"; hasLanded: boolean }
  /** A dry run: the payment was only built. */
  | { kind: "dry_run"; build: SaveBuild }
  /** A transaction was sent, and its outcome is not known yet. */
  | { kind: "unknown" };

export const DAY_NOT_COUNTED_NOTE =
  "There is more activity than is counted so far, so it is not known what the day has left.";

/** Tolerance for floating-point sums: an excess of at most half a micro-dollar is a rounding error. */
const EPSILON_USD = 0.0000005;

/**
 * Saves or tops up within the limits. Each build is checked before it is signed.
 * @param run starts the payment
 * @param reservedUsd the part of the daily limit that is reserved for a different payment, US dollars
 * @throws {ApiError} when the service fails or refuses
 * @throws {Error} a fatal error, see `isFatalError`
 */
export async function payWithinLimits(
  context: WatchContext,
  run: (confirm: (build: SaveBuild) => Promise<boolean>) => Promise<Result<WrapRecord, SaveBuild>>,
  reservedUsd = 0,
): Promise<WatchOutcome> {
  let refusal: string | null = null;
  let shownBuild: SaveBuild | null = null;
  const result = await run(async (build) => {
    shownBuild = build;
    const reason = await explainRefusal(context, build.breakdown, reservedUsd);
    refusal = reason ?? refusal;
    return reason === null && !context.settings.isDryRun;
  });
  if ("transactions" in result) await recordSavings(context, result.transactions);
  switch (result.status) {
    case "done":
      return { kind: "landed", transactions: result.transactions };
    case "refused":
      return { kind: "not_sent", reason: result.reason };
    case "cancelled":
      return context.settings.isDryRun && refusal === null
        ? { kind: "dry_run", build: shownBuild! }
        : { kind: "not_sent", reason: refusal ?? "It was not confirmed." };
    case "elsewhere":
      // A refusal before any build proves that the other payment has landed. A claimed payment may still fail.
      return { kind: "elsewhere", hasLanded: shownBuild === null };
    // `earlier` concerns another request's payment; this one was not started.
    case "earlier":
    case "unknown":
      return { kind: "unknown" };
    case "failed":
      return { kind: "not_sent", reason: explainFailure(result.error) };
  }
}

/** Returns why a payment failed. @throws {Error} an ApiError or a fatal error, unchanged */
export function explainFailure(error: Error): string {
  if (error instanceof ApiError || isFatalError(error)) throw error;
  return error.message || error.name;
}

/** Returns true if the service or the wallet returned something other than requested. The watch must then stop. */
export const isFatalError = (error: unknown): boolean =>
  error instanceof NotAsShown || error instanceof AnotherTextError || error instanceof WrongAccountError;

/** Returns why a saving would break a limit; null when it fits. */
async function explainRefusal(context: WatchContext, breakdown: WrapBreakdown, reservedUsd: number) {
  const { settings, roundup, wallet } = context;
  const [savedUsd, { balanceLamports }] = await Promise.all([
    sumSavedInADay(context, breakdown.solPriceUsd ?? 0),
    roundup.accumulator(wallet),
  ]);
  if (savedUsd === null) return DAY_NOT_COUNTED_NOTE;
  const remainingUsd = settings.maxPerDayUsd - savedUsd - reservedUsd;
  if (toSavingUsd(breakdown) > remainingUsd + EPSILON_USD) {
    const reservedNote = reservedUsd > 0 ? `, ${formatExactUsd(reservedUsd)} are kept for the top-up` : "";
    return `${formatExactUsd(toSavingUsd(breakdown))} would go beyond --max-per-day-usd: ${formatExactUsd(savedUsd)} of ${formatExactUsd(settings.maxPerDayUsd)} are saved${reservedNote}.`;
  }
  if (BigInt(balanceLamports - breakdown.totalLamports) < settings.keepLamports)
    return `The wallet holds ${formatSol(balanceLamports)} and would keep less than the ${formatSol(settings.keepLamports)} of --keep-sol.`;
  return null;
}

/** Stores landed savings, so that they count before a node's history shows them. */
export async function recordSavings({ memory, clock }: WatchContext, transactions: LandedWrap[]): Promise<void> {
  if (transactions.length === 0) return;
  const nowMs = clock.now();
  const saved = (await memory.readState()).saved.filter(({ atMs }) => atMs > nowMs - DAY_MS);
  for (const { txSignature, about } of transactions)
    saved.push({ txSignature, usd: toSavingUsd(about.breakdown), atMs: nowMs });
  await memory.updateState({ saved });
}
