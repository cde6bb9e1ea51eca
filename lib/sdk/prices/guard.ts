import type { AssetSymbol } from "../../domain/assets";
import { formatExactUsd } from "../../domain/money";
import { DEFAULT_PRICE_BOUNDS, isWithinBound } from "../../domain/prices/price-bounds";
import { matchesReference, type ReferencePrice } from "../../domain/prices/price-check";
import { type ConfirmedPrice, formatConfirmedAt, isWithinDrift, pickBaseline } from "../../domain/prices/price-drift";
import type { Clock, Storage } from "../platform";
import { type AssetPrices, createPriceStore, listPriceEntries } from "./price-store";

/** A price source that is independent of the service. */
export interface PriceSource {
  /** The maximum age of a price, in milliseconds. Older prices are ignored. */
  maxAgeMs: number;
  /** Returns the prices that the source has, without the others. It may throw. */
  readPrices(assets: readonly AssetSymbol[]): Promise<Partial<Record<AssetSymbol, ReferencePrice>>>;
}

/** A service price that needs confirmation before the SDK signs anything that depends on it. */
export interface PriceDoubt {
  asset: AssetSymbol;
  /** US dollars for one coin. */
  usd: number;
  /** The confirmed price used for the comparison; null when there is none. */
  before: ConfirmedPrice | null;
  /** `implausible` prices lie outside this package's fixed bounds. No confirmation can accept them. */
  kind: "moved" | "unconfirmed" | "implausible";
}

/** Asks the user whether these prices are right. A program must not answer for the user. */
export type AcceptPrices = (doubts: readonly PriceDoubt[]) => boolean | Promise<boolean>;

/** Compares the service's prices with the prices that this client has confirmed. */
export interface PriceGuard {
  /**
   * Returns the prices that the user must confirm. A price that moved further than `isWithinDrift` allows still passes
   * if the second source agrees, and the guard then stores that price as confirmed. The first price of an asset passes
   * within this package's bounds. With a second source, that source must also agree with a first price.
   */
  listDoubts(prices: AssetPrices): Promise<PriceDoubt[]>;
  /** Stores the prices of an action that is about to be signed. */
  confirm(prices: AssetPrices): Promise<void>;
  /** Stores prices that the user has confirmed. Implausible prices stay in doubt. */
  accept(doubts: readonly PriceDoubt[]): Promise<void>;
  /** Returns the newest confirmed price of each asset. */
  readConfirmed(): Promise<AssetPrices>;
}

interface PriceGuardOptions {
  storage: Storage;
  clock: Pick<Clock, "now">;
  network: string;
  source?: PriceSource;
}

/** Creates a price guard. Each network has its own confirmed prices. */
export function createPriceGuard({ storage, clock, network, source }: PriceGuardOptions): PriceGuard {
  const priceStore = createPriceStore(storage, network);
  return {
    async listDoubts(prices) {
      const confirmedPrices = await priceStore.readPrices();
      const nowMs = clock.now();
      const doubts = listPriceEntries(prices).flatMap(([asset, usd]) => {
        const before = pickBaseline(confirmedPrices[asset] ?? [], nowMs);
        return findDoubt({ asset, usd, before }, Boolean(source), nowMs) ?? [];
      });
      const clearedDoubts = source ? await findClearedDoubts(source, doubts, nowMs) : [];
      if (clearedDoubts.length > 0) await priceStore.replace(toPrices(clearedDoubts), nowMs);
      return doubts.filter((doubt) => !clearedDoubts.includes(doubt));
    },
    confirm: (prices) => priceStore.add(prices, clock.now()),
    accept: (doubts) => priceStore.replace(toPrices(doubts.filter(({ kind }) => kind !== "implausible")), clock.now()),
    async readConfirmed() {
      const confirmedPrices = Object.entries(await priceStore.readPrices());
      return Object.fromEntries(
        confirmedPrices.flatMap(([asset, prices]) => prices.slice(-1).map(({ usd }) => [asset, usd])),
      );
    },
  };
}

/** Returns the doubt about a price; null if the price needs no confirmation. */
function findDoubt(price: Omit<PriceDoubt, "kind">, hasSource: boolean, nowMs: number): PriceDoubt | null {
  const { asset, usd, before } = price;
  const isPlausible = typeof usd === "number" && isWithinBound(usd, DEFAULT_PRICE_BOUNDS[asset]);
  if (!isPlausible) return { ...price, kind: "implausible" };
  if (before === null) return hasSource ? { ...price, kind: "unconfirmed" } : null;
  return isWithinDrift(usd, before, nowMs) ? null : { ...price, kind: "moved" };
}

const toPrices = (doubts: readonly PriceDoubt[]): AssetPrices =>
  Object.fromEntries(doubts.map(({ asset, usd }) => [asset, usd]));

/** Returns the doubts that the second source clears. A source that fails clears none. */
async function findClearedDoubts(source: PriceSource, doubts: PriceDoubt[], nowMs: number): Promise<PriceDoubt[]> {
  const acceptableDoubts = doubts.filter(({ kind }) => kind !== "implausible");
  if (acceptableDoubts.length === 0) return [];
  const references = await source.readPrices(acceptableDoubts.map(({ asset }) => asset)).catch(() => null);
  return acceptableDoubts.filter(({ asset, usd }) => {
    const reference = references?.[asset];
    return reference !== undefined && matchesReference(asset, usd, reference, nowMs, source.maxAgeMs);
  });
}

/** Describes each doubt in a sentence for the user: the two prices, and the missing confirmation. */
export const describeDoubts = (doubts: readonly PriceDoubt[]): string => doubts.map(formatDoubt).join(" ");

function formatDoubt({ asset, usd, before, kind }: PriceDoubt): string {
  const statement = `The service says ${asset} costs ${formatExactUsd(Number(usd))}`;
  if (kind === "implausible") return `${statement}, which is not plausible, so nothing is signed.`;
  if (before === null) return `${statement}. The second source does not confirm it, so nothing is signed.`;
  return `${statement}. It was ${formatExactUsd(Number(before.usd))} when it was confirmed on ${formatConfirmedAt(before)} UTC. Nothing is signed until a person or a second source confirms the new price.`;
}
