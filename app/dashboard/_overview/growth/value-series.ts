import type { ActivityItem } from "@/app/_client/queries/use-activity";
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
  /** USD put in less what was taken out, each at the price of its day. */
  contributedUsd: number;
  /** USD, refundable deposits included. */
  worthUsd: number;
}

export interface ValueFacts {
  /** A wallet's history. */
  items: readonly ActivityItem[];
  /** What it holds now. */
  balances: readonly HeldBalances[];
  prices: readonly PriceSeries[];
  /** ms since the epoch */
  now: number;
  /** USD that the savings were worth when the first of these items happened, where there are older ones: it counts as put in. */
  earlierUsd?: number;
}

/** The same, of a history whose older part is not known. */
export function withoutPast(facts: ValueFacts): ValueFacts {
  const { worthUsd, contributedUsd } = valueAt(facts, startOf(facts));
  return { ...facts, earlierUsd: roundToMicro(worthUsd - contributedUsd) };
}

/** Points between which nothing happened. */
const EVEN_POINTS = 40;

/**
 * What was put in and what it was worth from `since` (ms since the epoch) to now: at even distances, and before and after
 * whatever happened in between. What was held is reckoned back from now; assets without a price are in neither figure.
 */
export function valueSeries(facts: ValueFacts, since: number): ValuePoint[] {
  const { items, now } = facts;
  const from = Math.min(Math.max(since, startOf(facts)), now);
  const even = Array.from({ length: EVEN_POINTS + 1 }, (_, i) => Math.round(from + ((now - from) * i) / EVEN_POINTS));
  const events = items.flatMap((item) => [timeOf(item, now) - 1, timeOf(item, now)]);
  const times = [...new Set([...even, ...events.filter((time) => time > from && time < now)])];
  return times.sort((a, b) => a - b).map((time) => valueAt(facts, time));
}

/** When the first known thing happened, ms since the epoch; now when nothing has. */
export const startOf = ({ items, now }: Pick<ValueFacts, "items" | "now">): number =>
  items.reduce((first, item) => Math.min(first, timeOf(item, now)), now);

export function valueAt(facts: ValueFacts, time: number): ValuePoint {
  const { items, balances, prices, now, earlierUsd = 0 } = facts;
  const held = new Map<string, number>();
  const add = (asset: string | null, coins: number) => {
    if (asset !== null) held.set(asset, (held.get(asset) ?? 0) + coins);
  };
  for (const { asset, balance } of balances) add(asset, balance);
  let contributedUsd = earlierUsd;
  for (const item of items) {
    if (timeOf(item, now) > time) {
      for (const { asset, change } of item.amounts) add(asset, -change);
    } else {
      add("SOL", lamportsToSol(item.tokenAccountDepositLamports));
      contributedUsd += contributionOf(item);
    }
  }
  const before = time < startOf(facts);
  const worth = [...held].reduce((sum, [asset, coins]) => sum + coins * priceAt(prices, asset, time), 0);
  return {
    time,
    contributedUsd: roundToMicro(contributedUsd),
    worthUsd: before ? earlierUsd : roundToMicro(Math.max(0, worth)),
  };
}

/** USD that the savings grew by between two moments, without what was put in or taken out; to the cent of the figures shown. */
export const growth = (from: ValuePoint, to: ValuePoint): number => toCents(gained(to) - gained(from));

const gained = ({ worthUsd, contributedUsd }: ValuePoint) => toCents(worthUsd) - toCents(contributedUsd);

function contributionOf({ type, status, usdValue }: ActivityItem): number {
  if (status === "failed" || usdValue === null) return 0;
  if (type === "round_up" || type === "deposit") return usdValue;
  return type === "withdrawal" ? -usdValue : 0;
}

/** What the node dates not happened just now. */
const timeOf = ({ time }: ActivityItem, now: number): number => (time === null ? now : Math.min(Date.parse(time), now));

/** Between two readings in proportion; before the first and after the last as those. 0 for what nobody prices. */
function priceAt(prices: readonly PriceSeries[], asset: string, time: number): number {
  const points = prices.find((series) => series.asset === asset)?.points ?? [];
  const next = points.findIndex((point) => Date.parse(point.time) >= time);
  if (next <= 0) return (next === 0 ? points[0] : points.at(-1))?.usd ?? 0;
  const [a, b] = [points[next - 1]!, points[next]!];
  const [from, to] = [Date.parse(a.time), Date.parse(b.time)];
  return a.usd + ((b.usd - a.usd) * (time - from)) / (to - from);
}
