import { ASSETS, isDollarMint } from "../../domain/assets";
import {
  computeValueMicroUsd,
  formatExactUsd,
  fromMicroUsd,
  lamportsToSol,
  pickLarger,
  toMicroUsd,
} from "../../domain/money";
import { DEFAULT_PRICE_BOUNDS } from "../../domain/prices/price-bounds";
import type { Roundup } from "../../sdk/index";
import { type AssetPrices, listPriceEntries } from "../../sdk/prices/guard";
import type { Activity, Overview } from "../../sdk/reads";
import type { ActivityReader, Ledger, LimitPeriod } from "../state/ledger";
import type { Amount, Figures } from "./figures";

/** Thrown when a tool refuses a request. The model and its user read the message. */
export class Refusal extends Error {
  override name = "Refusal";
}

/** The most that the agent may move. Start-up flags set these limits, and no tool can change them. */
export interface SpendingLimits {
  /** Limit on all savings, investments, sales and withdrawals within 24 hours, by any program. */
  perDayMicroUsd: bigint;
  /** The same limit for a calendar month, local time; null for no limit. */
  perMonthMicroUsd: bigint | null;
  perActionMicroUsd: bigint;
  keepLamports: bigint;
}

type ActivityItem = Activity["items"][number];

export type LimitOverview = Overview & { confirmedPrices: AssetPrices };

/** @throws {ApiError} */
export async function readLimitOverview(roundup: Pick<Roundup, "overview" | "priceGuard">): Promise<LimitOverview> {
  return { ...(await roundup.overview()), confirmedPrices: await roundup.priceGuard.readConfirmed() };
}

/** Answers the first page of the activity from the overview, and requests the others. */
export function createActivityReader(
  { activity: items, activityNextBefore: nextBefore }: Overview,
  roundup: ActivityReader,
): ActivityReader {
  return {
    activity: async (request) =>
      request.before === undefined && items ? { items, nextBefore } : roundup.activity(request),
  };
}

type PeriodTotals = { day: bigint; month: bigint | null };

/** @throws {Refusal | ApiError} when the activity cannot be counted completely, or a price is missing */
export async function readPeriodTotals(
  { perMonthMicroUsd }: Pick<SpendingLimits, "perMonthMicroUsd">,
  ledger: Ledger,
  overview: LimitOverview,
  reader?: ActivityReader,
): Promise<PeriodTotals> {
  const valueItem = (item: ActivityItem) => computeItemMicroUsd(item, overview);
  const readTotal = async (period: LimitPeriod) => {
    const sumMicroUsd = await ledger.sumMicroUsd(period, { savingsOnly: false, valueItem }, reader);
    // Refuse instead of guessing: an undercount would let the action exceed the limit.
    if (sumMicroUsd === null)
      throw new Refusal("There is more activity than this server has counted so far. Try again in a minute.");
    return sumMicroUsd;
  };
  return { day: await readTotal("day"), month: perMonthMicroUsd === null ? null : await readTotal("month") };
}

/**
 * Returns the larger of the service's figure at the time and today's value, micro-dollars. An item with unknown tokens
 * ignores the service's figure, unless a known asset has no price today. @throws {Refusal} without any value
 */
function computeItemMicroUsd({ usdValue, amounts }: ActivityItem, overview: LimitOverview): bigint {
  const lostAmounts = amounts.filter(({ change }) => change < 0);
  const movedAmounts = lostAmounts.length > 0 ? lostAmounts : amounts.filter(({ change }) => change > 0);
  const knownAmounts = movedAmounts.filter(isKnown);
  const haveAllPrices = knownAmounts.every((amount) => findPriceUsd(amount, overview) !== undefined);
  if (usdValue !== null && !haveAllPrices) return toMicroUsd(usdValue);
  const reportedMicroUsd = usdValue === null || knownAmounts.length < movedAmounts.length ? 0n : toMicroUsd(usdValue);
  return pickLarger(reportedMicroUsd, computeAmountsMicroUsd(knownAmounts.map(toAmount), overview));
}

const toAmount = ({ asset, mint, amount, decimals }: ActivityItem["amounts"][number]): Amount => {
  const signedAmount = BigInt(amount);
  return { asset, mint, decimals, amount: signedAmount < 0n ? -signedAmount : signedAmount };
};

/** Every other token counts as zero: a stranger can send it and inflate its price, which would block the owner's money. */
const isKnown = ({ asset, mint }: Pick<Amount, "asset" | "mint">) => asset !== null || isDollarMint(mint);

/**
 * Returns micro-dollars at the service's price or the client's confirmed price, whichever is higher, and at least the
 * lowest plausible price. Unknown tokens count as zero. @throws {Refusal} when a price is missing
 */
export function computeAmountsMicroUsd(amounts: Amount[], overview: LimitOverview): bigint {
  const { prices, savings } = overview;
  const createMissingPriceError = () =>
    new Refusal("A price is missing now, so the value of this action cannot be computed. Try again later.");
  if (prices === null) throw createMissingPriceError();
  return amounts.filter(isKnown).reduce((sum, token) => {
    const heldBalance = savings?.balances.find((balance) => balance.mint === token.mint);
    const priceUsd = findPriceUsd(token, overview) ?? heldBalance?.priceUsd;
    if (priceUsd == null) throw createMissingPriceError();
    return sum + computeValueMicroUsd(token.amount, token.decimals, priceUsd);
  }, 0n);
}

/** Returns US dollars per coin of a known token; undefined when neither the service nor the client has a price. */
function findPriceUsd({ asset }: Pick<Amount, "asset">, { prices, confirmedPrices }: LimitOverview) {
  // A known token that is no asset is a dollar.
  if (asset === null) return 1;
  const availablePrices = [prices?.prices[asset], confirmedPrices[asset]].filter((usd) => usd !== undefined);
  return availablePrices.length === 0 ? undefined : Math.max(...availablePrices, DEFAULT_PRICE_BOUNDS[asset].min);
}

/** Returns the larger of the requested and the outgoing micro-dollars, at the build's prices. @throws {Refusal} */
export function computeActionMicroUsd({ leaves, requestedUsd, prices }: Figures, overview: LimitOverview): bigint {
  const confirmedPrices = { ...overview.confirmedPrices };
  for (const [asset, priceUsd] of listPriceEntries(prices))
    confirmedPrices[asset] = Math.max(confirmedPrices[asset] ?? 0, priceUsd);
  const requestedMicroUsd = requestedUsd === null ? 0n : toMicroUsd(requestedUsd);
  return pickLarger(requestedMicroUsd, computeAmountsMicroUsd(leaves, { ...overview, confirmedPrices }));
}

/** @throws {Refusal} when the action would exceed a limit */
export function enforceSpendingLimits(limits: SpendingLimits, microUsd: bigint, totals: PeriodTotals): void {
  const amountText = formatDollars(microUsd);
  if (microUsd > limits.perActionMicroUsd)
    throw new Refusal(
      `This moves ${amountText}. One action may move at most ${formatDollars(limits.perActionMicroUsd)}.`,
    );
  if (totals.day + microUsd > limits.perDayMicroUsd)
    throw new Refusal(
      `This moves ${amountText}, after ${formatDollars(totals.day)} in the last 24 hours. At most ${formatDollars(limits.perDayMicroUsd)} may be moved in 24 hours.`,
    );
  if (limits.perMonthMicroUsd !== null && totals.month! + microUsd > limits.perMonthMicroUsd)
    throw new Refusal(
      `This moves ${amountText}, after ${formatDollars(totals.month!)} this month. At most ${formatDollars(limits.perMonthMicroUsd)} may be moved in a month.`,
    );
}

/** A saving in USDC spends SOL for its costs only. @throws {Refusal} when the action would go below the minimum balance */
export function enforceMinimumBalance(limits: SpendingLimits, leaves: Amount[], { portfolio }: LimitOverview): void {
  const { keepLamports } = limits;
  if (leaves.some(({ mint }) => mint === ASSETS.USDC.mint)) return;
  if (portfolio === null)
    throw new Refusal("The wallet's balance cannot be read now, so nothing is taken from it. Try again later.");
  const lamports = leaves.find(({ mint }) => mint === ASSETS.SOL.mint)?.amount ?? 0n;
  if (BigInt(portfolio.pendingLamports) - lamports < keepLamports)
    throw new Refusal(`The wallet would keep less than its minimum of ${lamportsToSol(keepLamports)} SOL.`);
}

const formatDollars = (microUsd: bigint) => formatExactUsd(fromMicroUsd(microUsd));
