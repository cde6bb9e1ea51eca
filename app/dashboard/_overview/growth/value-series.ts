import type { ActivityItem } from "@/app/_client/queries/activity";
import type { WalletHistory } from "@/app/_client/queries/wallet-history";
import { sumHistory } from "@/app/dashboard/_components/activity-sums";
import { lamportsToSol, roundToCents, roundToMicro, toMicroUsd } from "@/lib/domain/money";
import { computeMonthlyPace } from "@/lib/domain/projection";
import { MONTH_MS, WEEK_MS } from "@/lib/domain/time";

export type ValuePoint = ReturnType<typeof computeValueAt>;

export interface ValueFacts {
  items: readonly ActivityItem[];
  /** What the wallet holds now, in coins. */
  balances: readonly { asset: string | null; balance: number }[];
  /** The readings of each asset, oldest first. */
  prices: readonly { asset: string; points: { time: string; usd: number }[] }[];
  /** ms since the epoch */
  now: number;
  /** USD worth of the savings now, as the page's total shows it. Computed from the holdings by default. */
  worthUsd?: number | undefined;
  /** USD worth of the savings at the first of these items, when older items exist. Counts as contributed. */
  earlierUsd?: number;
}

/** Counts what the wallet was worth at the first known item as contributed. */
export function countEarlierAsContributed(facts: ValueFacts): ValueFacts {
  const { worthUsd, contributedUsd } = computeValueAt(facts, findStartTime(facts));
  return { ...facts, earlierUsd: roundToMicro(worthUsd - contributedUsd) };
}

/** Less than one base unit of any coin, in coins. A sum that should be zero can leave a smaller remainder. */
const MIN_COINS = 1e-10;

const INTERVAL_COUNT = 40;

/**
 * Returns contributions and worth from `rangeStartTime` (ms since the epoch) to now, oldest first. Points are evenly
 * spaced, plus one 1 ms before each transaction and one at it. Past holdings are computed backwards from the current
 * ones. Assets without a price are in neither figure. Contributions are never negative, and an empty wallet has none:
 * otherwise withdrawn gains would show as a negative amount added.
 */
export function computeValueSeries(facts: ValueFacts, rangeStartTime: number): ValuePoint[] {
  const { items, now } = facts;
  const firstTime = Math.min(Math.max(rangeStartTime, findStartTime(facts)), now);
  const evenTimes = Array.from({ length: INTERVAL_COUNT + 1 }, (_, i) =>
    Math.round(firstTime + ((now - firstTime) * i) / INTERVAL_COUNT),
  );
  const eventTimes = items.flatMap((item) => [getTime(item, now) - 1, getTime(item, now)]);
  const times = [...new Set([...evenTimes, ...eventTimes.filter((time) => time > firstTime && time < now)])];
  return times
    .sort((a, b) => a - b)
    .map((time) => computeValueAt(facts, time))
    .map((point) => ({ ...point, contributedUsd: point.isEmpty ? 0 : Math.max(0, point.contributedUsd) }));
}

/** Returns the time of the first known transaction, ms since the epoch, or now when there is none. */
export const findStartTime = ({ items, now }: Pick<ValueFacts, "items" | "now">): number =>
  items.reduce((start, item) => Math.min(start, getTime(item, now)), now);

/** Returns contributions and worth at a time, ms since the epoch. */
export function computeValueAt(facts: ValueFacts, time: number) {
  const { items, balances, prices, now, worthUsd, earlierUsd = 0 } = facts;
  const coinsByAsset = new Map<string, number>();
  const addCoins = (asset: string | null, coins: number) => {
    if (asset !== null) coinsByAsset.set(asset, (coinsByAsset.get(asset) ?? 0) + coins);
  };
  for (const { asset, balance } of balances) addCoins(asset, balance);
  for (const item of items.filter((item) => getTime(item, now) > time)) {
    for (const { asset, change } of item.amounts) addCoins(asset, -change);
  }
  const sums = sumHistory(items.filter((item) => getTime(item, now) <= time));
  addCoins("SOL", lamportsToSol(sums.depositLamports));
  const isBeforeStart = time < findStartTime(facts);
  const computedUsd = [...coinsByAsset].reduce(
    (sum, [asset, coins]) => sum + coins * interpolatePrice(prices, asset, time),
    0,
  );
  return {
    time,
    /** USD contributed less USD withdrawn, each at the price of its day. */
    contributedUsd: roundToMicro(earlierUsd + sums.contributedUsd - sums.withdrawnUsd),
    /** USD, including refundable deposits. */
    worthUsd: isBeforeStart
      ? earlierUsd
      : time >= now && worthUsd !== undefined
        ? worthUsd
        : roundToMicro(Math.max(0, computedUsd)),
    /** Whether the wallet held nothing at all. */
    isEmpty: !isBeforeStart && [...coinsByAsset.values()].every((coins) => Math.abs(coins) < MIN_COINS),
  };
}

/** Returns the USD gained between two points, less contributions. All figures are rounded as displayed. */
export const computeGrowthUsd = (from: ValuePoint, to: ValuePoint): number =>
  roundToCents(computeGainUsd(to) - computeGainUsd(from));

const computeGainUsd = ({ worthUsd, contributedUsd }: ValuePoint) =>
  roundToCents(worthUsd) - roundToCents(contributedUsd);

/** Returns a transaction's time, ms since the epoch. A transaction without a time counts as happening now. */
export const getTime = ({ time }: ActivityItem, now: number): number =>
  time === null ? now : Math.min(Date.parse(time), now);

/**
 * Returns an asset's price at a time, USD, interpolated between two readings. Outside their range the first or the last
 * reading counts. Returns 0 for an asset without prices.
 */
function interpolatePrice(prices: ValueFacts["prices"], asset: string, time: number): number {
  const points = prices.find((series) => series.asset === asset)?.points ?? [];
  const nextIndex = points.findIndex((point) => Date.parse(point.time) >= time);
  if (nextIndex <= 0) return (nextIndex === 0 ? points[0] : points.at(-1))?.usd ?? 0;
  const [previous, next] = [points[nextIndex - 1]!, points[nextIndex]!];
  const [previousTime, nextTime] = [Date.parse(previous.time), Date.parse(next.time)];
  return previous.usd + ((next.usd - previous.usd) * (time - previousTime)) / (nextTime - previousTime);
}

export type OwnPace = ReturnType<typeof computeOwnPace>;

/**
 * Returns the monthly contributions less withdrawals since the first known transaction; 0 when more was withdrawn. In
 * the first month, contributions so far count as the whole month's, so a good first day is not extrapolated.
 * @param now ms since the epoch
 */
export function computeOwnPace({ items }: Pick<WalletHistory, "items">, now: number) {
  const ageMs = now - findStartTime({ items, now });
  const { contributedUsd, withdrawnUsd } = sumHistory(items);
  const keptMicroUsd = toMicroUsd(Math.max(0, contributedUsd - withdrawnUsd));
  const perMonthMicroUsd = computeMonthlyPace(keptMicroUsd, Math.max(ageMs, MONTH_MS));
  return { perMonthMicroUsd, isFirstMonth: ageMs < MONTH_MS, isRepresentative: ageMs >= WEEK_MS };
}
