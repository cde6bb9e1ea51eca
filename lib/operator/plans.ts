/* Plans the transfers of `fund` and `sweep`. Pure functions; all amounts are integer lamports. */

/** Target balance of a funded collector, in rent-exempt minimums. The margin survives a higher rent rate. */
const FUND_TARGET_MINIMUMS = 2n;

interface Transfer {
  /** Index of the collector, from 0. */
  collectorIndex: number;
  lamports: bigint;
}

export interface FundPlan {
  /** Balance that each funded collector will have. */
  targetLamports: bigint;
  /** Transfers from the funder to collectors, in one transaction. Empty when no collector is below the minimum. */
  transfers: Transfer[];
  /** Sum of the transfers, without the fee. */
  totalLamports: bigint;
  /** Network fee of the transaction. 0 when there is nothing to send. */
  feeLamports: bigint;
  /** Lamports the funder lacks to pay everything and keep its own rent-exempt minimum. 0 when it can pay. */
  shortfallLamports: bigint;
}

/**
 * Plans the transfers that bring each collector below the rent-exempt minimum to twice that minimum. Such a collector
 * cannot receive a small fee. A collector at the minimum, as after a sweep, gets nothing. Otherwise the two commands
 * would move rent from the funder to the treasury.
 * @param input.collectors balances in the collectors' order, 0 for an account that does not exist
 * @param input.feeLamports network fee of one such transaction
 * @throws {RangeError} on a negative amount, or a rent minimum of 0, which no cluster has
 */
export function computeFundPlan(input: {
  collectors: readonly bigint[];
  funder: bigint;
  rentMinimum: bigint;
  feeLamports: bigint;
}): FundPlan {
  checkAmounts(input.rentMinimum, [...input.collectors, input.funder, input.feeLamports]);
  const targetLamports = FUND_TARGET_MINIMUMS * input.rentMinimum;
  const transfers = input.collectors.flatMap((balance, collectorIndex) =>
    balance < input.rentMinimum ? [{ collectorIndex, lamports: targetLamports - balance }] : [],
  );
  if (transfers.length === 0)
    return { targetLamports, transfers, totalLamports: 0n, feeLamports: 0n, shortfallLamports: 0n };
  const totalLamports = sumLamports(transfers);
  const neededLamports = totalLamports + input.feeLamports + input.rentMinimum;
  return {
    targetLamports,
    transfers,
    totalLamports,
    feeLamports: input.feeLamports,
    shortfallLamports: neededLamports > input.funder ? neededLamports - input.funder : 0n,
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
  /** Transfers to the treasury, each in its own transaction, largest first. The first opens a missing treasury. */
  transfers: Transfer[];
  skipped: { collectorIndex: number; reason: SkipReason }[];
  /** Sum of the transfers, which the treasury receives. */
  totalLamports: bigint;
  /** Sum of the network fees, paid by the collectors. */
  feeLamports: bigint;
}

/**
 * Plans the transfers of each collector's surplus over the rent-exempt minimum, minus the network fee, to the treasury.
 * A collector that sends keeps exactly the rent-exempt minimum.
 * @param input.collectors balances in the collectors' order, 0 for an account that does not exist
 * @param input.treasury balance of the treasury, 0 when it does not exist
 * @param input.feeLamports network fee of one transfer
 * @throws {RangeError} on a negative amount, or a rent minimum of 0, which no cluster has
 */
export function computeSweepPlan(input: {
  collectors: readonly bigint[];
  treasury: bigint;
  rentMinimum: bigint;
  feeLamports: bigint;
}): SweepPlan {
  checkAmounts(input.rentMinimum, [...input.collectors, input.treasury, input.feeLamports]);
  let transfers: Transfer[] = [];
  const skipped: SweepPlan["skipped"] = [];
  for (const [collectorIndex, balance] of input.collectors.entries()) {
    const lamports = balance - input.rentMinimum - input.feeLamports;
    if (balance <= input.rentMinimum) skipped.push({ collectorIndex, reason: "no_surplus" });
    else if (lamports <= input.feeLamports) skipped.push({ collectorIndex, reason: "not_worth_fee" });
    else transfers.push({ collectorIndex, lamports });
  }
  transfers.sort((a, b) =>
    a.lamports === b.lamports ? a.collectorIndex - b.collectorIndex : a.lamports > b.lamports ? -1 : 1,
  );
  const largestTransfer = transfers[0];
  if (largestTransfer && input.treasury + largestTransfer.lamports < input.rentMinimum) {
    for (const { collectorIndex } of transfers) skipped.push({ collectorIndex, reason: "treasury_unopened" });
    transfers = [];
  }
  return {
    transfers,
    skipped,
    totalLamports: sumLamports(transfers),
    feeLamports: input.feeLamports * BigInt(transfers.length),
  };
}

function sumLamports(transfers: readonly Transfer[]): bigint {
  return transfers.reduce((total, { lamports }) => total + lamports, 0n);
}

/** @throws {RangeError} on a negative amount, or a rent minimum that is not positive */
function checkAmounts(rentMinimum: bigint, amounts: readonly bigint[]): void {
  if (rentMinimum <= 0n) throw new RangeError("the rent-exempt minimum must be positive");
  if (amounts.some((amount) => amount < 0n)) throw new RangeError("amounts of lamports are never negative");
}
