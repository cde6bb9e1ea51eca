import { ASSETS, type AssetSymbol } from "../../../domain/assets";
import { fromMicroUsd, lamportsToSol, toMicroUsd, valueMicroUsd } from "../../../domain/money";
import { DEFAULT_PRICE_BOUNDS } from "../../../domain/prices/price-bounds";
import type { Roundup } from "../../index";
import { type AssetPrices, entriesOf } from "../../prices/memory";
import type { Activity, Overview } from "../../reads";
import { usd } from "../output/format";
import type { Reader } from "../state/day";
import type { Amount, Figures } from "./figures";
import type { Ledger } from "./ledger";
import { Refusal } from "./refusal";

/** What a start-up flag sets, no model moves. */
export interface Caps {
  /** Of everything that is saved, bought, sold and withdrawn in 24 hours, by whatever program. */
  perDayMicroUsd: bigint;
  perActionMicroUsd: bigint;
  /** Stays in the person's own wallet. */
  keepLamports: bigint;
}

type Item = Activity["items"][number];

/** What the service says, and the client's own prices. */
interface KnownState extends Pick<Overview, "prices" | "portfolio" | "savings"> {
  /** Absent where nothing was confirmed. */
  own?: AssetPrices;
}

/** @throws {ApiError} */
export async function readKnown({ overview, priceGuard }: Pick<Roundup, "overview" | "priceGuard">) {
  return { ...(await overview()), own: await priceGuard.confirmed() };
}

/**
 * Micro-dollars that were moved in the last 24 hours: what the chain shows, and what the ledger knows beyond it.
 * @throws {Refusal} when it cannot be counted @throws {ApiError}
 */
export async function movedInADay(reader: Reader, ledger: Ledger, known: KnownState): Promise<bigint> {
  const entries = await ledger.ofLastDay();
  const counted = new Set(entries.flatMap(({ txSignatures }) => txSignatures));
  let sum = entries.reduce((total, { microUsd }) => total + BigInt(microUsd), 0n);
  const moves = await ledger.movesOfADay(reader);
  // What cannot be counted is not spent.
  if (!moves) throw new Refusal("There is more activity than is counted so far. Try again in a minute.");
  for (const item of moves) if (!counted.has(item.txSignature)) sum += worthOfItem(item, known);
  return sum;
}

/**
 * Returns the larger of two values: the service's figure for that moment, and today's. Unknown tokens count as nothing,
 * because strangers can send them and inflate their price. Beside them the service's figure is ignored: it may include them.
 */
function worthOfItem({ usdValue, amounts }: Item, known: KnownState): bigint {
  const [lost, gained] = [amounts.filter(({ change }) => change < 0), amounts.filter(({ change }) => change > 0)];
  const moved = lost.length > 0 ? lost : gained;
  const counted = moved.filter(({ asset }) => asset !== null);
  const priced = counted.every(({ asset }) => priceOf(asset!, known) !== undefined);
  if (usdValue !== null && !priced) return toMicroUsd(usdValue);
  const said = usdValue === null || counted.length < moved.length ? 0n : toMicroUsd(usdValue);
  return larger(said, worthOf(counted.map(toAmount), known));
}

const larger = (one: bigint, other: bigint) => (one > other ? one : other);

const toAmount = ({ asset, mint, amount, decimals }: Item["amounts"][number]): Amount => {
  const signed = BigInt(amount);
  return { asset, mint, decimals, amount: signed < 0n ? -signed : signed };
};

/**
 * Micro-dollars at today's prices: the service's or the client's own, whichever is higher, and never less than the least
 * plausible one. A token that nobody prices is worth nothing.
 * @throws {Refusal} where both prices are missing, or the service has none at all
 */
export function worthOf(amounts: Amount[], known: KnownState): bigint {
  const { prices, savings } = known;
  const unknown = () => new Refusal("A price is missing right now, so it cannot be counted what this is worth.");
  if (prices === null) throw unknown();
  return amounts.reduce((sum, { asset, mint, amount, decimals }) => {
    const held = savings?.balances.find((balance) => balance.mint === mint);
    const price = (asset === null ? undefined : priceOf(asset, known)) ?? held?.priceUsd ?? null;
    if (price !== null) return sum + valueMicroUsd(amount, decimals, price);
    if (asset !== null || savings === null || held?.unpriced === "unknown") throw unknown();
    return sum;
  }, 0n);
}

/** US dollars; undefined where neither the service nor the client has a price. */
function priceOf(asset: AssetSymbol, { prices, own }: KnownState): number | undefined {
  const known = [prices?.prices[asset], own?.[asset]].filter((usd) => usd !== undefined);
  return known.length === 0 ? undefined : Math.max(...known, DEFAULT_PRICE_BOUNDS[asset].min);
}

/**
 * Micro-dollars that an action moves: at least the dollars that were asked for, and at least what leaves is worth at the
 * prices of its build.
 * @throws {Refusal} where a price is missing
 */
export function worthOfAction({ leaves, usd, prices }: Figures, known: KnownState): bigint {
  const own = { ...known.own };
  for (const [asset, price] of entriesOf(prices)) own[asset] = Math.max(own[asset] ?? 0, price);
  return larger(usd === null ? 0n : toMicroUsd(usd), worthOf(leaves, { ...known, own }));
}

/** @throws {Refusal} when the action would go beyond a cap */
export function holdCaps(caps: Caps, microUsd: bigint, moved: bigint): void {
  if (microUsd > caps.perActionMicroUsd) {
    throw new Refusal(
      `This moves ${dollars(microUsd)}; one action may move ${dollars(caps.perActionMicroUsd)} at most.`,
    );
  }
  if (moved + microUsd > caps.perDayMicroUsd) {
    throw new Refusal(
      `This moves ${dollars(microUsd)}, after ${dollars(moved)} in the last 24 hours; ${dollars(caps.perDayMicroUsd)} may be moved in a day.`,
    );
  }
}

/** For what the person's own wallet pays. @throws {Refusal} */
export function holdKeep({ keepLamports }: Caps, leaves: Amount[], { portfolio }: KnownState): void {
  if (portfolio === null)
    throw new Refusal("The wallet's balance cannot be read right now, so nothing is taken from it.");
  const lamports = leaves.find(({ mint }) => mint === ASSETS.SOL.mint)?.amount ?? 0n;
  if (BigInt(portfolio.pendingLamports) - lamports < keepLamports) {
    throw new Refusal(`The wallet would keep less than the ${lamportsToSol(keepLamports)} SOL it is to keep.`);
  }
}

const dollars = (microUsd: bigint) => usd(fromMicroUsd(microUsd));
