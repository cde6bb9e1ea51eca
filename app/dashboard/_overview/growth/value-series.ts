import type { ActivityItem } from "@/app/_client/queries/use-activity";
import { toShownUsd } from "@/app/dashboard/_components/activity-sums";
import { lamportsToSol, roundToMicro, toCents } from "@/lib/domain/money";

interface PriceSeries {
  asset: string;
  /** Oldest first. */
  points: { time: string; usd: number }[];
}

interface HeldBalances {
  asset: string | null;
  /** Coins. */
  balance: number;
}

export interface ValuePoint {
  /** ms since the epoch */
  time: number;
  /** USD contributed less USD withdrawn, each at the price of its day. */
  contributedUsd: number;
  /** USD, including refundable deposits. */
  worthUsd: number;
  /** True when the wallet held nothing at all. */
  isEmpty: boolean;
}

export interface ValueFacts {
  /** A wallet's history. */
  items: readonly ActivityItem[];
  /** The wallet's current holdings. */
  balances: readonly HeldBalances[];
  prices: readonly PriceSeries[];
  /** ms since the epoch */
  now: number;
  /** USD worth of the savings now, as the page's total shows it. Computed from the holdings by default. */
  worthUsd?: number | undefined;
  /** USD worth of the savings at the first of these items, when older items exist. Counts as contributed. */
  earlierUsd?: number;
}

/** Returns the facts for a history whose older part is unknown. */
export function dropPastPoints(facts: ValueFacts): ValueFacts {
  const { worthUsd, contributedUsd } = computeValueAt(facts, findStart(facts));
  return { ...facts, earlierUsd: roundToMicro(worthUsd - contributedUsd) };
}

/** Coins below any base unit. Sums of coins leave such a remainder instead of zero. */
const LEAST_COINS = 1e-10;

/** Number of evenly spaced points. */
const EVEN_POINTS = 40;

/**
 * Returns contributions and worth from `since` (ms since the epoch) to now. Points are evenly spaced, plus one before
 * and one after each transaction. Past holdings are computed backwards from the current ones. Assets without a price
 * are in neither figure. Contributions are never negative, and an empty wallet has none: otherwise withdrawn gains would
 * show as a negative deposit.
 */
export function computeValueSeries(facts: ValueFacts, since: number): ValuePoint[] {
  const { items, now } = facts;
  const from = Math.min(Math.max(since, findStart(facts)), now);
  const even = Array.from({ length: EVEN_POINTS + 1 }, (_, i) => Math.round(from + ((now - from) * i) / EVEN_POINTS));
  const events = items.flatMap((item) => [getTime(item, now) - 1, getTime(item, now)]);
  const times = [...new Set([...even, ...events.filter((time) => time > from && time < now)])];
  return times
    .sort((a, b) => a - b)
    .map((time) => computeValueAt(facts, time))
    .map((point) => ({ ...point, contributedUsd: point.isEmpty ? 0 : Math.max(0, point.contributedUsd) }));
}

/** Returns the time of the first known transaction, ms since the epoch, or now when there is none. */
export const findStart = ({ items, now }: Pick<ValueFacts, "items" | "now">): number =>
  items.reduce((first, item) => Math.min(first, getTime(item, now)), now);

/** Returns contributions and worth at a time, ms since the epoch. */
export function computeValueAt(facts: ValueFacts, time: number): ValuePoint {
  const { items, balances, prices, now, worthUsd, earlierUsd = 0 } = facts;
  const held = new Map<string, number>();
  const add = (asset: string | null, coins: number) => {
    if (asset !== null) held.set(asset, (held.get(asset) ?? 0) + coins);
  };
  for (const { asset, balance } of balances) add(asset, balance);
  let contributedUsd = earlierUsd;
  for (const item of items) {
    if (getTime(item, now) > time) {
      for (const { asset, change } of item.amounts) add(asset, -change);
    } else {
      add("SOL", lamportsToSol(item.tokenAccountDepositLamports));
      contributedUsd += getContribution(item);
    }
  }
  const before = time < findStart(facts);
  const worth = [...held].reduce((sum, [asset, coins]) => sum + coins * interpolatePrice(prices, asset, time), 0);
  return {
    time,
    contributedUsd: roundToMicro(contributedUsd),
    worthUsd: before ? earlierUsd : time >= now && worthUsd !== undefined ? worthUsd : roundToMicro(Math.max(0, worth)),
    isEmpty: !before && [...held.values()].every((coins) => Math.abs(coins) < LEAST_COINS),
  };
}

/**
 * Returns the USD gained between two points, without contributions and withdrawals, to the cent of the displayed
 * figures.
 */
export const computeGrowth = (from: ValuePoint, to: ValuePoint): number =>
  toCents(computeGained(to) - computeGained(from));

const computeGained = ({ worthUsd, contributedUsd }: ValuePoint) => toCents(worthUsd) - toCents(contributedUsd);

function getContribution(item: ActivityItem): number {
  const usd = toShownUsd(item);
  if (item.status === "failed" || usd === null) return 0;
  if (item.type === "round_up" || item.type === "deposit") return usd;
  return item.type === "withdrawal" ? -usd : 0;
}

/** A transaction that the node has not dated yet counts as happening now. */
const getTime = ({ time }: ActivityItem, now: number): number =>
  time === null ? now : Math.min(Date.parse(time), now);

/**
 * Interpolates between two readings. Uses the first or last reading outside their range, and 0 for an asset without
 * prices.
 */
function interpolatePrice(prices: readonly PriceSeries[], asset: string, time: number): number {
  const points = prices.find((series) => series.asset === asset)?.points ?? [];
  const next = points.findIndex((point) => Date.parse(point.time) >= time);
  if (next <= 0) return (next === 0 ? points[0] : points.at(-1))?.usd ?? 0;
  const [a, b] = [points[next - 1]!, points[next]!];
  const [from, to] = [Date.parse(a.time), Date.parse(b.time)];
  return a.usd + ((b.usd - a.usd) * (time - from)) / (to - from);
}
