import { formatExactUsd } from "../../../domain/money";
import { DAY_MS } from "../../../domain/prices/price-history";
import type { LandedStep } from "../../flow/record";
import type { WrapBreakdown, WrapRecord } from "../../flow/wraps";
import { AnotherTextError, ApiError, NotAsShown, type Result, type SaveBuild, WrongAccountError } from "../../index";
import { formatSol } from "../output/text";
import { sumSavedInADay, toSavingUsd } from "./memory";
import type { WatchWorld } from "./world";

/** A saving or top-up that landed. */
export type LandedWrap = LandedStep<WrapRecord>;

/** The outcome of a payment that the watch started. */
export type Outcome =
  | { kind: "landed"; transactions: LandedWrap[] }
  /** Nothing was sent, for the reason in `why`. The watch retries later. */
  | { kind: "held"; why: string }
  /** Another program is saving this. `landed` is true if that program's payment has landed. */
  | { kind: "elsewhere"; landed: boolean }
  /** A dry run: the payment was only built. */
  | { kind: "would"; build: SaveBuild }
  /** A transaction was sent, and its outcome is not known yet. */
  | { kind: "open" };

export const HISTORY_INCOMPLETE =
  "There is more activity than is counted so far, so it is not known what the day has left.";

/** Tolerance for floating-point sums: half a micro-dollar over the cap is not an excess. */
const EPSILON_USD = 0.0000005;

/**
 * Saves within the limits. It checks the limits again for every build before signing.
 * @param reservedUsd US dollars reserved for another payment today
 * @throws {NotAsShown | ApiError} an ApiError may pass with a retry
 */
export async function payWithinCaps(
  world: WatchWorld,
  run: (confirm: (build: SaveBuild) => Promise<boolean>) => Promise<Result<WrapRecord, SaveBuild>>,
  reservedUsd = 0,
): Promise<Outcome> {
  let why = "It was not confirmed.";
  let shown: SaveBuild | null = null;
  const result = await run(async (build) => {
    shown = build;
    const reason = await explainRefusal(world, build.breakdown, reservedUsd);
    why = reason ?? why;
    return reason === null && !world.settings.dryRun;
  });
  if ("transactions" in result) await recordSavings(world, result.transactions);
  switch (result.status) {
    case "done":
      return { kind: "landed", transactions: result.transactions };
    case "refused":
      return { kind: "held", why: result.reason };
    case "cancelled":
      return world.settings.dryRun && why === "It was not confirmed."
        ? { kind: "would", build: shown! }
        : { kind: "held", why };
    case "elsewhere":
      // A refusal before any build proves that the other payment has landed. A claimed payment may still fail.
      return { kind: "elsewhere", landed: shown === null };
    // `earlier` concerns another request's payment; this one was not started.
    case "earlier":
    case "unknown":
      return { kind: "open" };
    case "failed":
      return describeFailure(result.error);
  }
}

/** Converts an error to a `held` outcome. @throws {Error} on an API error or a fatal error */
export function describeFailure(error: Error): Outcome {
  if (error instanceof ApiError || isFatal(error)) throw error;
  return { kind: "held", why: error.message || error.name };
}

/** Returns true if the service or the wallet returned something other than requested. The watch then stops. */
export const isFatal = (error: unknown): boolean =>
  error instanceof NotAsShown || error instanceof AnotherTextError || error instanceof WrongAccountError;

/** Returns why a saving would break a limit; null when it fits. */
async function explainRefusal(world: WatchWorld, breakdown: WrapBreakdown, reservedUsd: number) {
  const { settings, roundup, wallet } = world;
  const [saved, { balanceLamports }] = await Promise.all([
    sumSavedInADay(world, breakdown.solPriceUsd ?? 0),
    roundup.accumulator(wallet),
  ]);
  if (saved === null) return HISTORY_INCOMPLETE;
  const room = settings.maxPerDayUsd - saved - reservedUsd;
  if (toSavingUsd(breakdown) > room + EPSILON_USD) {
    const reserved = reservedUsd > 0 ? `, ${formatExactUsd(reservedUsd)} are kept for the top-up` : "";
    return `${formatExactUsd(toSavingUsd(breakdown))} would go beyond --max-per-day-usd: ${formatExactUsd(saved)} of ${formatExactUsd(settings.maxPerDayUsd)} are saved${reserved}.`;
  }
  if (BigInt(balanceLamports - breakdown.totalLamports) < settings.keepLamports)
    return `The wallet holds ${formatSol(balanceLamports)} and would keep less than the ${formatSol(settings.keepLamports)} of --keep-sol.`;
  return null;
}

/** Stores landed savings, so that they count before the chain's history shows them. */
export async function recordSavings({ memory, clock }: WatchWorld, landed: LandedWrap[]): Promise<void> {
  if (landed.length === 0) return;
  const now = clock.now();
  const before = (await memory.read()).saved.filter(({ atMs }) => atMs > now - DAY_MS);
  const added = landed.map(({ txSignature, about }) => ({ txSignature, usd: toSavingUsd(about.breakdown), atMs: now }));
  await memory.update({ saved: [...before, ...added] });
}
