import { PURCHASE_USD } from "../../../domain/limits";
import { toMicroUsd } from "../../../domain/money";
import { DUST_TIMES, decodeSpending, type LeftOutReason, type Payment } from "../../../domain/spending/spending";
import type { Deps } from "../../../ports/deps";
import type { HistoryEntry } from "../../../ports/solana-rpc";
import { inParallel } from "../in-parallel";
import { pricesWhenRelayed } from "../relay/relay-records";
import { serviceWalletsAmong } from "./service-wallets-among";
import { type Value, valuesOf } from "./spending-value";

/** Transactions that are read at a time. */
const PARALLEL_READS = 6;
/** What one node does not have of this age may be with the next one. */
const RECENT_MS = 3_600_000;
const CENT_MICRO_USD = 10_000n;
const LARGEST_MICRO_USD = toMicroUsd(PURCHASE_USD.max);

/** A transaction as far as it can be told now: a payment without a value, or neither a payment nor a reason, may be told later. */
export interface SpendingRead {
  entry: HistoryEntry;
  reason: LeftOutReason | null;
  payment: Payment | null;
  value: Value | null;
}

/** Reads a wallet's transactions, each once, by at most so many calls of the node. */
export function createReader(deps: Deps, wallet: string, serviceWallet: string | undefined, calls: number) {
  const known = new Map<string, SpendingRead>();
  let left = calls;

  const load = async (entries: HistoryEntry[]): Promise<void> => {
    const signatures = entries.map(({ signature }) => signature);
    const [figures, relayedAt] = await Promise.all([
      inParallel(PARALLEL_READS, signatures, (signature) => deps.rpc.transaction(signature)),
      pricesWhenRelayed(deps, signatures),
    ]);
    const found = figures.filter((one) => one !== null);
    const isServiceWallet = await serviceWalletsAmong(deps, wallet, serviceWallet, found);
    const decoded = figures.map((one) =>
      one === null ? null : decodeSpending(one, { wallet, isServiceWallet, feeCollectors: deps.feeCollectors }),
    );
    const paid = entries.flatMap(({ blockTime }, i) => {
      const payment = decoded[i];
      return payment && typeof payment === "object" ? [{ payment, blockTime, relayedAt: relayedAt[i] ?? null }] : [];
    });
    const values = await valuesOf(deps, paid);
    for (const [i, entry] of entries.entries()) {
      const one = decoded[i] ?? null;
      known.set(entry.signature, readOf(deps, entry, one, typeof one === "object" && one ? values.shift()! : null));
    }
  };

  return {
    /** Calls that may still be made. */
    left: () => left,
    /** Those of the entries that were read. */
    known: (entries: HistoryEntry[]) => entries.flatMap(({ signature }) => known.get(signature) ?? []),
    /** As many of them as the calls are enough for, in order. */
    async read(entries: HistoryEntry[]): Promise<SpendingRead[]> {
      const taken: HistoryEntry[] = [];
      const unknown: HistoryEntry[] = [];
      for (const entry of entries) {
        const isNew = !known.has(entry.signature);
        if (isNew && entry.error !== null) known.set(entry.signature, noPayment(entry, "failed"));
        else if (isNew && unknown.length === left) break;
        else if (isNew) unknown.push(entry);
        taken.push(entry);
      }
      left -= unknown.length;
      await load(unknown);
      return taken.map(({ signature }) => known.get(signature)!);
    },
  };
}

const noPayment = (entry: HistoryEntry, reason: LeftOutReason | null): SpendingRead => {
  return { entry, reason, payment: null, value: null };
};

function readOf(
  { clock }: Deps,
  entry: HistoryEntry,
  decoded: Payment | LeftOutReason | null,
  value: Value | "unpriced" | null,
): SpendingRead {
  if (decoded === null) {
    const isRecent = entry.blockTime === null || clock.now() - entry.blockTime * 1000 < RECENT_MS;
    return noPayment(entry, isRecent ? null : "unreadable");
  }
  if (typeof decoded === "string") return noPayment(entry, decoded);
  if (decoded.hasDust) {
    // Without prices just now, it may be a swap all the same.
    if (value === null) return noPayment(entry, null);
    if (value === "unpriced" || value.microUsd < DUST_TIMES * CENT_MICRO_USD) return noPayment(entry, "swap");
  }
  if (value === "unpriced") return noPayment(entry, value);
  if (value && value.microUsd < CENT_MICRO_USD) return noPayment(entry, "under_a_cent");
  if (value && value.microUsd > LARGEST_MICRO_USD) return noPayment(entry, "too_large");
  return { entry, reason: null, payment: decoded, value };
}
