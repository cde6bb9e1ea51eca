import { ASSETS } from "../../../domain/assets";
import { fromMicroUsd, lamportsToSol, toMicroUsd, valueMicroUsd } from "../../../domain/money";
import type { Activity, Overview } from "../../reads";
import type { Reader } from "../day";
import { usd } from "../format";
import type { Amount } from "./figures";
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
type Known = Pick<Overview, "prices" | "portfolio" | "savings">;

/**
 * Micro-dollars that were moved in the last 24 hours: what the chain shows, and what the ledger knows beyond it.
 * @throws {Refusal} when it cannot be counted @throws {ApiError}
 */
export async function movedInADay(reader: Reader, ledger: Ledger, known: Known): Promise<bigint> {
  const entries = await ledger.ofLastDay();
  const counted = new Set(entries.flatMap(({ txSignatures }) => txSignatures));
  let sum = entries.reduce((total, { microUsd }) => total + BigInt(microUsd), 0n);
  const moves = await ledger.movesOfADay(reader);
  // What cannot be counted is not spent.
  if (!moves) throw new Refusal("There is more activity than is counted so far. Try again in a minute.");
  for (const item of moves) if (!counted.has(item.txSignature)) sum += worthOfItem(item, known);
  return sum;
}

/** At the prices of its moment, else at those of now. */
function worthOfItem({ usdValue, amounts }: Item, known: Known): bigint {
  if (usdValue !== null) return toMicroUsd(usdValue);
  const [lost, gained] = [amounts.filter(({ change }) => change < 0), amounts.filter(({ change }) => change > 0)];
  return worthOf((lost.length > 0 ? lost : gained).map(toAmount), known);
}

const toAmount = ({ asset, mint, amount, decimals }: Item["amounts"][number]): Amount => {
  const signed = BigInt(amount);
  return { asset, mint, decimals, amount: signed < 0n ? -signed : signed };
};

/**
 * Micro-dollars at today's prices. A token that nobody prices is worth nothing.
 * @throws {Refusal} where a price is missing
 */
export function worthOf(amounts: Amount[], { prices, savings }: Known): bigint {
  const unknown = () => new Refusal("A price is missing right now, so it cannot be counted what this is worth.");
  if (prices === null) throw unknown();
  return amounts.reduce((sum, { asset, mint, amount, decimals }) => {
    const held = savings?.balances.find((balance) => balance.mint === mint);
    const price = (asset === null ? undefined : prices.prices[asset]) ?? held?.priceUsd ?? null;
    if (price !== null) return sum + valueMicroUsd(amount, decimals, price);
    if (asset !== null || savings === null || held?.unpriced === "unknown") throw unknown();
    return sum;
  }, 0n);
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
export function holdKeep({ keepLamports }: Caps, leaves: Amount[], { portfolio }: Known): void {
  if (portfolio === null)
    throw new Refusal("The wallet's balance cannot be read right now, so nothing is taken from it.");
  const lamports = leaves.find(({ mint }) => mint === ASSETS.SOL.mint)?.amount ?? 0n;
  if (BigInt(portfolio.pendingLamports) - lamports < keepLamports) {
    throw new Refusal(`The wallet would keep less than the ${lamportsToSol(keepLamports)} SOL it is to keep.`);
  }
}

const dollars = (microUsd: bigint) => usd(fromMicroUsd(microUsd));
