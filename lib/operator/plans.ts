/* Plans the transfers of `fund` and `sweep`. Pure functions; all amounts are integer lamports. */

/** Target balance of a funded collector, in rent-exempt minimums. The margin survives a higher rent rate. */
const FUND_TARGET_MINIMUMS = 2n;

interface Transfer {
  /** Index of the collector, from 0. */
  collector: number;
  lamports: bigint;
}

export interface FundPlan {
  /** Balance that each funded collector will have. */
  target: bigint;
  /** Transfers from the funder to collectors, in one transaction. Empty when no collector is below the minimum. */
  transfers: Transfer[];
  /** Sum of the transfers, without the fee. */
  total: bigint;
  /** Network fee of the transaction. 0 when there is nothing to send. */
  fee: bigint;
  /** Lamports the funder lacks to pay everything and keep its own rent-exempt minimum. 0 when it can pay. */
  shortfall: bigint;
}

/**
 * Plans topping up each collector below the rent-exempt minimum to twice that minimum. A small fee to such a collector
 * could not land. A collector at the minimum, as after a sweep, gets nothing: otherwise the two commands would move
 * rent from the funder to the treasury.
 * @param input.collectors balances in the collectors' order, 0 for an account that does not exist
 * @param input.fee network fee of one such transaction
 * @throws {RangeError} on a negative amount, or a rent minimum of 0, which no cluster has
 */
export function computeFundPlan(input: {
  collectors: readonly bigint[];
  funder: bigint;
  rentMinimum: bigint;
  fee: bigint;
}): FundPlan {
  checkAmounts(input.rentMinimum, [...input.collectors, input.funder, input.fee]);
  const target = FUND_TARGET_MINIMUMS * input.rentMinimum;
  const transfers = input.collectors.flatMap((balance, collector) =>
    balance < input.rentMinimum ? [{ collector, lamports: target - balance }] : [],
  );
  if (transfers.length === 0) return { target, transfers, total: 0n, fee: 0n, shortfall: 0n };
  const total = sumLamports(transfers);
  const neededLamports = total + input.fee + input.rentMinimum;
  return {
    target,
    transfers,
    total,
    fee: input.fee,
    shortfall: neededLamports > input.funder ? neededLamports - input.funder : 0n,
  };
}

/** The reason why a collector sends nothing in a sweep. */
export type SkipReason =
  /** The collector holds no more than its rent-exempt minimum. */
  | "no_surplus"
  /** The amount that would arrive does not exceed the transfer's fee. */
  | "not_worth_fee"
  /** The treasury account does not exist, and no single transfer is large enough to open it. */
  | "treasury_unopened";

export interface SweepPlan {
  /** One transaction each, largest first. The first transfer opens the treasury if it does not exist. */
  transfers: Transfer[];
  skipped: { collector: number; reason: SkipReason }[];
  /** Sum of the transfers, which the treasury receives. */
  total: bigint;
  /** Sum of the network fees, paid by the collectors. */
  fees: bigint;
}

/**
 * Plans sending each collector's surplus over the rent-exempt minimum, minus the network fee, to the treasury. A
 * collector that sends keeps exactly the rent-exempt minimum.
 * @param input.collectors balances in the collectors' order, 0 for an account that does not exist
 * @param input.treasury balance of the treasury, 0 when it does not exist
 * @param input.fee network fee of one transfer
 * @throws {RangeError} on a negative amount, or a rent minimum of 0, which no cluster has
 */
export function computeSweepPlan(input: {
  collectors: readonly bigint[];
  treasury: bigint;
  rentMinimum: bigint;
  fee: bigint;
}): SweepPlan {
  checkAmounts(input.rentMinimum, [...input.collectors, input.treasury, input.fee]);
  let transfers: Transfer[] = [];
  const skipped: SweepPlan["skipped"] = [];
  for (const [collector, balance] of input.collectors.entries()) {
    const lamports = balance - input.rentMinimum - input.fee;
    if (balance <= input.rentMinimum) skipped.push({ collector, reason: "no_surplus" });
    else if (lamports <= input.fee) skipped.push({ collector, reason: "not_worth_fee" });
    else transfers.push({ collector, lamports });
  }
  transfers.sort((a, b) => (a.lamports === b.lamports ? a.collector - b.collector : a.lamports > b.lamports ? -1 : 1));
  const largestTransfer = transfers[0];
  if (largestTransfer && input.treasury + largestTransfer.lamports < input.rentMinimum) {
    for (const { collector } of transfers) skipped.push({ collector, reason: "treasury_unopened" });
    transfers = [];
  }
  return { transfers, skipped, total: sumLamports(transfers), fees: input.fee * BigInt(transfers.length) };
}

function sumLamports(transfers: readonly Transfer[]): bigint {
  return transfers.reduce((total, { lamports }) => total + lamports, 0n);
}

/** @throws {RangeError} */
function checkAmounts(rentMinimum: bigint, amounts: readonly bigint[]): void {
  if (rentMinimum <= 0n) throw new RangeError("the rent-exempt minimum must be positive");
  if (amounts.some((amount) => amount < 0n)) throw new RangeError("amounts of lamports are never negative");
}
