import { BATCH_SIZE_RANGE, PAYMENT_USD_RANGE } from "../limits";
import { NOTHING_SAVED } from "../marks";
import { fromMicroUsd, sumUsd, toMicroUsd } from "../money";

/**
 * Groups payments into batches, each of which one saving covers.
 *
 * The problem: the change of a small payment can be many times the payment, so many of them would save far too much.
 * The invariant: every micro-dollar of a payment is part of one value that is rounded up, now or in a later batch.
 * How it is kept: the small payments of a batch are summed. The sum is added to the newest other payment before that is
 * rounded up. Without other payments, the batch waits until the sum is no longer small.
 * Example: 5.20 USD and then 120 payments of 0.02 USD are one value of 7.60 USD. The 120 alone are one of 2.40 USD.
 */

export const SMALL_PAYMENT_USD = 1;
const SMALL_PAYMENT_MICRO_USD = toMicroUsd(SMALL_PAYMENT_USD);
const MAX_PAYMENT_MICRO_USD = toMicroUsd(PAYMENT_USD_RANGE.max);

const isSmall = (microUsd: bigint): boolean => microUsd < SMALL_PAYMENT_MICRO_USD;
export const isSmallPayment = (usd: number): boolean => isSmall(toMicroUsd(usd));

const sumMicroUsd = (amounts: bigint[]): bigint => amounts.reduce((sum, amount) => sum + amount, 0n);

/** The payments below SMALL_PAYMENT_USD. */
export interface SmallPayments {
  count: number;
  sumUsd: number;
}

export interface CombinedPayments {
  /** USD values to round up, oldest first. One of them includes `small.sumUsd`. Empty while small payments wait. */
  txValuesUsd: number[];
  small: SmallPayments;
}

/** Adds the small payments to the newest other payment that stays within the limit of a payment. @param usd oldest first */
export function combinePayments(usd: readonly number[]): CombinedPayments {
  const amounts = usd.map(toMicroUsd);
  const smallAmounts = amounts.filter(isSmall);
  const values = amounts.filter((microUsd) => !isSmall(microUsd)).slice(0, BATCH_SIZE_RANGE.max);
  const smallSum = sumMicroUsd(smallAmounts);
  const carrier = values.findLastIndex((microUsd) => microUsd + smallSum <= MAX_PAYMENT_MICRO_USD);
  if (carrier >= 0) values[carrier]! += smallSum;
  else if (values.length > 0 || !isSmall(smallSum)) values.push(smallSum);
  return {
    txValuesUsd: values.map(fromMicroUsd),
    small: { count: smallAmounts.length, sumUsd: fromMicroUsd(smallSum) },
  };
}

export function countPayments({ txValuesUsd, small }: CombinedPayments): number {
  const isSumAlone = small.count > 0 && txValuesUsd.at(-1) === small.sumUsd;
  return txValuesUsd.length + small.count - (isSumAlone ? 1 : 0);
}

/** Adds up batches. @returns the number of all payments, the small ones among them, and their sum in USD */
export function summarizeBatches(batches: readonly CombinedPayments[]) {
  return {
    payments: batches.reduce((sum, batch) => sum + countPayments(batch), 0),
    small: {
      count: batches.reduce((sum, { small }) => sum + small.count, 0),
      sumUsd: sumUsd(batches.map(({ small }) => small.sumUsd)),
    },
    totalUsd: sumUsd(batches.flatMap(({ txValuesUsd }) => txValuesUsd)),
  };
}

export interface Batch extends CombinedPayments {
  /** Signature of the batch's newest payment. */
  through: string;
  /** Signature of the newest payment that is saved before, or NOTHING_SAVED. */
  after: string;
}

export type BatchPayment = [txSignature: string, usd: number, slot: number];

/**
 * Groups payments into batches of at most 500 values. In a slot with more values than fit into one batch, the rest leaves
 * no change: a wallet would have to sign 500 payments in a fifth of a second.
 * @param payments oldest first
 * @returns no batch for small payments that wait
 */
export function toBatches(payments: readonly BatchPayment[], savedThrough: string | null): Batch[] {
  const batches: Batch[] = [];
  let after = savedThrough ?? NOTHING_SAVED;
  for (let start = 0; start < payments.length; ) {
    const end = findBatchEnd(payments, start);
    const combined = combinePayments(payments.slice(start, end).map(([, usd]) => usd));
    const through = payments[end - 1]![0];
    if (combined.txValuesUsd.length > 0) batches.push({ ...combined, through, after });
    [start, after] = [end, through];
  }
  return batches;
}

/**
 * Returns the index behind the batch that begins at `start`: the slots up to the first one with a value, and as many more
 * whole slots as fit. So only the last batch may consist of small payments.
 */
function findBatchEnd(payments: readonly BatchPayment[], start: number): number {
  let [end, valueCount, endValueCount] = [start, 0, 0];
  for (let i = start; i < payments.length; i++) {
    const [, usd, slot] = payments[i]!;
    if (!isSmallPayment(usd)) valueCount++;
    if (valueCount > BATCH_SIZE_RANGE.max && endValueCount > 0) return end;
    if (payments[i + 1]?.[2] !== slot) [end, endValueCount] = [i + 1, valueCount];
  }
  return end;
}
