import pMap from "p-map";
import type { TransactionFigures } from "../../../domain/activity";
import { PAYMENT_USD_RANGE } from "../../../domain/limits";
import { MICRO_PER_CENT, toMicroUsd } from "../../../domain/money";
import {
  decodeSpending,
  type LeftOutReason,
  listPayees,
  MIN_CENTS_WITH_DUST,
  type Payment,
} from "../../../domain/spending/spending";
import { DAY_MS } from "../../../domain/time";
import type { Deps } from "../../../ports/deps";
import type { HistoryEntry } from "../../../ports/solana-rpc";
import { readPricesWhenRelayed } from "../../records/landings";
import { findOwnServiceWallets } from "../../records/service-wallets";
import { listAmounts } from "../amounts";
import { computeValue, createPriceReader, type DollarValue, type PriceMoment } from "../prices/payment-price";

/*
 * Reads transactions and decides which are payments and what they were worth. A node may lack a recent transaction, or
 * prices may be unavailable. So a transaction gets a value or a reason to leave it out only once that is certain, and
 * is read again until then. Only after a day is a transaction that no node returns left out as `unreadable`.
 */

const MAX_PARALLEL_READS = 6;
/** A transaction younger than this may still become readable, so it is read again later. */
const RECENT_MS = DAY_MS;
const MAX_PAYMENT_MICRO_USD = toMicroUsd(PAYMENT_USD_RANGE.max);

/**
 * The current result for one transaction. If both `reason` and `value` are null, it is not certain yet and a later
 * answer reads the transaction again.
 */
export interface SpendingReading {
  entry: HistoryEntry;
  reason: LeftOutReason | null;
  payment: Payment | null;
  value: DollarValue | null;
}

/** Creates a reader that reads each of a wallet's transactions once. @param maxCalls limit of node calls */
export function createSpendingReader(deps: Deps, wallet: string, serviceWallet: string | undefined, maxCalls: number) {
  const readingBySignature = new Map<string, SpendingReading>();
  let callsLeft = maxCalls;

  const loadReadings = async (entries: HistoryEntry[]): Promise<void> => {
    const signatures = entries.map(({ signature }) => signature);
    const [transactions, relayPrices] = await Promise.all([
      pMap(signatures, (signature) => deps.rpc.readTransaction(signature), { concurrency: MAX_PARALLEL_READS }),
      readPricesWhenRelayed(deps, signatures),
    ]);
    const figures = transactions.map((transaction) => (transaction === "unsupported" ? null : transaction));
    const knownFigures = figures.filter((transaction) => transaction !== null);
    const isServiceWallet = await createServiceWalletPredicate(deps, wallet, serviceWallet, knownFigures);
    const decodedSpending = figures.map((transaction) =>
      transaction === null
        ? null
        : decodeSpending(transaction, { wallet, isServiceWallet, feeCollectors: deps.feeCollectors }),
    );
    const timedPayments = entries.flatMap(({ blockTime }, i) => {
      const payment = decodedSpending[i];
      return payment && typeof payment === "object"
        ? [{ payment, blockTime, relayPrices: relayPrices[i] ?? null }]
        : [];
    });
    const values = await computeValues(deps, timedPayments);
    for (const [i, entry] of entries.entries()) {
      const spending = decodedSpending[i] ?? null;
      readingBySignature.set(
        entry.signature,
        toReading(deps, entry, spending, typeof spending === "object" && spending ? values.shift()! : null),
      );
    }
  };

  return {
    countCallsLeft: () => callsLeft,
    findReadings: (entries: HistoryEntry[]) =>
      entries.flatMap(({ signature }) => readingBySignature.get(signature) ?? []),
    /** Reads the entries in order, until the calls are used up. Returns the results up to there. */
    async readEntries(entries: HistoryEntry[]): Promise<SpendingReading[]> {
      const takenEntries: HistoryEntry[] = [];
      const unreadEntries: HistoryEntry[] = [];
      for (const entry of entries) {
        const isNew = !readingBySignature.has(entry.signature);
        if (isNew && entry.error !== null) readingBySignature.set(entry.signature, toLeftOutReading(entry, "failed"));
        else if (isNew && unreadEntries.length === callsLeft) break;
        else if (isNew) unreadEntries.push(entry);
        takenEntries.push(entry);
      }
      callsLeft -= unreadEntries.length;
      await loadReadings(unreadEntries);
      return takenEntries.map(({ signature }) => readingBySignature.get(signature)!);
    },
  };
}

const toLeftOutReading = (entry: HistoryEntry, reason: LeftOutReason | null): SpendingReading => {
  return { entry, reason, payment: null, value: null };
};

function toReading(
  { clock }: Deps,
  entry: HistoryEntry,
  spending: Payment | LeftOutReason | null,
  value: DollarValue | "unpriced" | "swap" | null,
): SpendingReading {
  if (spending === null) {
    const isRecent = entry.blockTime === null || clock.now() - entry.blockTime * 1000 < RECENT_MS;
    return toLeftOutReading(entry, isRecent ? null : "unreadable");
  }
  if (typeof spending === "string") return toLeftOutReading(entry, spending);
  if (value === "swap") return toLeftOutReading(entry, value);
  if (spending.hasDust) {
    // Without a value it is unknown whether this is a swap, so the transaction stays open.
    if (value === null) return toLeftOutReading(entry, null);
    if (value === "unpriced" || value.microUsd < MIN_CENTS_WITH_DUST * MICRO_PER_CENT)
      return toLeftOutReading(entry, "swap");
  }
  if (value === "unpriced") return toLeftOutReading(entry, value);
  if (value && value.microUsd === 0n) return toLeftOutReading(entry, "worthless");
  if (value && value.microUsd > MAX_PAYMENT_MICRO_USD) return toLeftOutReading(entry, "too_large");
  return { entry, reason: null, payment: spending, value };
}

const MAX_ADDRESSES_PER_CALL = 500;

/**
 * Creates a predicate that recognizes the wallet's own service wallets among the payees of the given transactions. A
 * transfer into one is a saving, and rounding it up would save from savings. Another
 * owner's service wallet is a payee like any other. Otherwise a shop could hide its customers' payments from them.
 * @param serviceWallet the service wallet that the caller names; it counts even if it was not derived here
 */
async function createServiceWalletPredicate(
  deps: Deps,
  wallet: string,
  serviceWallet: string | undefined,
  figures: TransactionFigures[],
): Promise<(address: string) => boolean> {
  const payees = [...new Set(figures.flatMap((transaction) => listPayees(transaction, wallet)))];
  const ownWallets = new Set(serviceWallet === undefined ? [] : [serviceWallet]);
  for (let start = 0; start < payees.length; start += MAX_ADDRESSES_PER_CALL) {
    const chunk = payees.slice(start, start + MAX_ADDRESSES_PER_CALL);
    for (const address of await findOwnServiceWallets(deps, wallet, chunk)) ownWallets.add(address);
  }
  return (address) => ownWallets.has(address);
}

interface TimedPayment extends PriceMoment {
  payment: Payment;
}

/**
 * Computes the value of each payment, in order: at the past price, as in the activity, and at today's only if no past
 * price exists. A token that has no price adds nothing. A failed price source never counts as $0.
 * @returns "unpriced" if none of a payment's tokens has a price; "swap" if a token that came back has one; null if a
 * price cannot be read now
 */
async function computeValues(
  deps: Deps,
  timedPayments: TimedPayment[],
): Promise<(DollarValue | "unpriced" | "swap" | null)[]> {
  const mints = timedPayments.flatMap(({ payment }) => [
    ...listAmounts(payment).map(({ mint }) => mint),
    ...(payment.gainedMints ?? []),
  ]);
  const readPrice = createPriceReader(deps, mints);
  return Promise.all(
    timedPayments.map(async (timedPayment) => {
      const { payment } = timedPayment;
      const gainedPrices = await Promise.all((payment.gainedMints ?? []).map((mint) => readPrice(mint, timedPayment)));
      if (gainedPrices.includes(null)) return null;
      if (gainedPrices.some((price) => price !== "unpriced")) return "swap";
      return computeValue(listAmounts(payment), (mint) => readPrice(mint, timedPayment));
    }),
  );
}
