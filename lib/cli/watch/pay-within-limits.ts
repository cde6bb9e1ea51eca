import { ASSETS } from "../../domain/assets";
import { formatExactUsd, fromMicroUsd, lamportsToUsd, toMicroUsd } from "../../domain/money";
import type { LandedStep } from "../../sdk/flow/record";
import { isInUsdc, type WrapBreakdown, type WrapRecord } from "../../sdk/flow/wraps";
import {
  AnotherTextError,
  ApiError,
  NotAsShown,
  type Result,
  type SaveBuild,
  WrongAccountError,
} from "../../sdk/index";
import { formatSol } from "../output/text";
import { type LimitPeriod, type SavingFlow, toSavingMicroUsd } from "../state/ledger";
import type { WatchContext, WatchSettings } from "./watch-context";

export type LandedWrap = LandedStep<WrapRecord>;

export type WatchOutcome =
  | { kind: "landed"; transactions: LandedWrap[] }
  /** Nothing was sent, for this reason. The watch retries later. */
  | { kind: "not_sent"; reason: string }
  /** Another program saves the same. `hasLanded` is true if that program's action has certainly landed. */
  | { kind: "elsewhere"; hasLanded: boolean }
  | { kind: "dry_run"; build: SaveBuild }
  | { kind: "unknown" };

export const NOT_COUNTED_NOTE =
  "There is more activity than is counted so far, so it is not known what the limits have left.";

/**
 * Saves or tops up. Each build is checked, and counted in the ledger, before it is signed.
 * @param reservedUsd the part of each limit that is reserved for a different action, US dollars
 * @throws {ApiError | Error} when the service fails or refuses, or a fatal error, see `isFatalError`
 */
export async function payWithinLimits(
  context: WatchContext,
  flow: SavingFlow,
  run: RunPayment,
  reservedUsd = 0,
): Promise<WatchOutcome> {
  const outcome = await context.ledger.runAlone(() => payAlone(context, flow, run, reservedUsd));
  return outcome ?? { kind: "elsewhere", hasLanded: false };
}

type RunPayment = (confirm: (build: SaveBuild) => Promise<boolean>) => Promise<Result<WrapRecord, SaveBuild>>;

async function payAlone(
  context: WatchContext,
  flow: SavingFlow,
  run: RunPayment,
  reservedUsd: number,
): Promise<WatchOutcome> {
  const { ledger, settings } = context;
  let refusal: string | null = null;
  let shownBuild: SaveBuild | null = null;
  let isReserved = false;
  const result = await run(async (build) => {
    shownBuild = build;
    // The transaction of the last build has expired.
    if (isReserved) await ledger.settle(flow, []);
    isReserved = false;
    const reason = await explainRefusal(context, build.breakdown, reservedUsd);
    refusal = reason ?? refusal;
    if (reason !== null || settings.isDryRun) return false;
    await ledger.reserve(flow, toSavingMicroUsd(build));
    isReserved = true;
    return true;
  });
  // Without a reservation, an open entry belongs to a program that died, and must keep counting.
  if (isReserved || ("transactions" in result && result.transactions.length > 0))
    await settleSavings(context, flow, result);
  switch (result.status) {
    case "done":
      return { kind: "landed", transactions: result.transactions };
    case "refused":
      return { kind: "not_sent", reason: result.reason };
    case "cancelled":
      return settings.isDryRun && refusal === null
        ? { kind: "dry_run", build: shownBuild! }
        : { kind: "not_sent", reason: refusal ?? "It was not confirmed." };
    case "elsewhere":
      // A refusal before any build proves that the other action has landed. A claimed action may still fail.
      return { kind: "elsewhere", hasLanded: shownBuild === null };
    // `earlier` concerns another request's action; this one was not started.
    case "earlier":
    case "unknown":
      return { kind: "unknown" };
    case "failed":
      return {
        kind: "not_sent",
        reason: (await explainAllowance(context, result.error)) ?? explainFailure(result.error),
      };
  }
}

/** Returns why the user's allowance does not suffice. Returns null for any other failure. @throws {ApiError} */
async function explainAllowance({ roundup }: WatchContext, error: Error): Promise<string | null> {
  if (!(error instanceof ApiError) || error.code !== "allowance_missing") return null;
  const { delegate, isServiceWallet, remainingUsd } = await roundup.allowance();
  const problem = isServiceWallet
    ? `The allowance has ${formatExactUsd(remainingUsd)} left, which is less than the saving takes.`
    : delegate === null
      ? "The allowance is used up or revoked."
      : `The allowance was replaced: ${delegate} may take the wallet's USDC now.`;
  return `${problem} Nothing is saved until the wallet allows its savings wallet more.`;
}

/** Returns why an action failed. @throws {Error} an ApiError or a fatal error, unchanged */
export function explainFailure(error: Error): string {
  if (error instanceof ApiError || isFatalError(error)) throw error;
  return error.message || error.name;
}

/** Returns true if the service or the wallet returned something other than requested. The watch must then stop. */
export const isFatalError = (error: unknown): boolean =>
  error instanceof NotAsShown || error instanceof AnotherTextError || error instanceof WrongAccountError;

async function explainRefusal(context: WatchContext, breakdown: WrapBreakdown, reservedUsd: number) {
  const { settings, roundup, wallet } = context;
  const [limit, remainingLamports] = await Promise.all([
    readTightestLimit(context, breakdown.solPriceUsd ?? 0, reservedUsd),
    isInUsdc(breakdown)
      ? null
      : roundup.accumulator(wallet).then(({ balanceLamports }) => balanceLamports - breakdown.totalLamports),
  ]);
  if (limit === null) return NOT_COUNTED_NOTE;
  const microUsd = toSavingMicroUsd({ breakdown });
  if (microUsd > limit.remainingMicroUsd) {
    const reservedNote = reservedUsd > 0 ? `, ${formatExactUsd(reservedUsd)} are kept for the top-up` : "";
    return `${formatMicroUsd(microUsd)} would go beyond --max-per-${limit.period}-usd: ${formatMicroUsd(limit.savedMicroUsd)} of ${formatExactUsd(limit.limitUsd)} are saved${reservedNote}.`;
  }
  if (remainingLamports !== null && BigInt(remainingLamports) < settings.keepLamports)
    return `The wallet holds ${formatSol(remainingLamports + breakdown.totalLamports)} and would keep less than the ${formatSol(settings.keepLamports)} of --keep-sol.`;
  return null;
}

const formatMicroUsd = (microUsd: bigint) => formatExactUsd(fromMicroUsd(microUsd));

/** Settles an action in the ledger, unless its outcome is unknown. */
export async function settleSavings(
  { ledger }: WatchContext,
  flow: SavingFlow,
  result: Result<WrapRecord, SaveBuild>,
): Promise<void> {
  if (!("transactions" in result)) return;
  const microUsd = result.transactions.reduce((sum, { about }) => sum + toSavingMicroUsd(about), 0n);
  const txSignatures = result.transactions.map(({ txSignature }) => txSignature);
  await ledger.settle(flow, txSignatures, microUsd);
}

/** A limit on what is saved in a period. The option `--max-per-<period>-usd` sets it. */
interface WatchLimit {
  period: LimitPeriod;
  limitUsd: number;
}

type LimitSettings = Pick<WatchSettings, "maxPerDayUsd" | "maxPerMonthUsd">;

export const listLimits = ({ maxPerDayUsd, maxPerMonthUsd }: LimitSettings): WatchLimit[] => [
  { period: "day", limitUsd: maxPerDayUsd },
  ...(maxPerMonthUsd === null ? [] : [{ period: "month", limitUsd: maxPerMonthUsd } as const]),
];

/**
 * Returns the limit that allows the least, with its micro-dollars; null while the history is still being read.
 * @param solPriceUsd as in `sumSaved` @param reservedUsd as in `payWithinLimits` @throws {ApiError}
 */
export async function readTightestLimit(context: WatchContext, solPriceUsd: number, reservedUsd: number) {
  let tightest: (WatchLimit & { savedMicroUsd: bigint; remainingMicroUsd: bigint }) | null = null;
  for (const limit of listLimits(context.settings)) {
    const savedMicroUsd = await sumSaved(context, limit.period, solPriceUsd);
    if (savedMicroUsd === null) return null;
    const remainingMicroUsd = toMicroUsd(limit.limitUsd) - toMicroUsd(reservedUsd) - savedMicroUsd;
    if (tightest === null || remainingMicroUsd < tightest.remainingMicroUsd)
      tightest = { ...limit, savedMicroUsd, remainingMicroUsd };
  }
  return tightest;
}

/** As `Ledger.sumMicroUsd`. @param solPriceUsd US dollars per SOL, for savings without a recorded price */
export const sumSaved = ({ ledger }: Pick<WatchContext, "ledger">, period: LimitPeriod, solPriceUsd: number) =>
  ledger.sumMicroUsd(period, {
    savingsOnly: true,
    valueItem({ amounts, serviceFeeLamports, serviceFeeUnits, priceUsd }) {
      // Count only SOL and USDC, because a stranger can add transfers of worthless tokens to a transaction.
      const findSaved = (asset: "SOL" | "USDC") =>
        Math.max(0, Number(amounts.find(({ mint }) => mint === ASSETS[asset].mint)?.amount ?? 0));
      const lamports = findSaved("SOL") + (serviceFeeLamports ?? 0);
      const units = findSaved("USDC") + (serviceFeeUnits ?? 0);
      return BigInt(units) + toMicroUsd(lamportsToUsd(lamports, priceUsd ?? solPriceUsd));
    },
  });
