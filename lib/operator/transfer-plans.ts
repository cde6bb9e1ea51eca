import { clampToZero } from "../domain/money";
import type { Balances } from "./chain";

/* Plans the transfers of `fund` and `sweep`. Pure functions; all amounts are integer lamports. */

/** Target balance of a funded collector, in rent-exempt minimums. Two still suffice after a rise of the rent rate. */
const FUND_TARGET_IN_RENT_MINIMUMS = 2n;

interface Transfer {
  /** The collector's position in the list of collectors, from 0. */
  collectorIndex: number;
  lamports: bigint;
}

export interface FundPlan {
  /** The balance that each funded collector will have. */
  targetLamports: bigint;
  /** Transfers from the funder to collectors, in one transaction. Empty when no collector is below the minimum. */
  transfers: Transfer[];
  /** The sum of the transfers, without the fee. */
  totalLamports: bigint;
  /** The network fee of the transaction. 0 when there is nothing to send. */
  feeLamports: bigint;
  /** The lamports that the funder lacks to pay everything and keep its own rent-exempt minimum. 0 when it can pay. */
  shortfallLamports: bigint;
}

/**
 * Plans the transfers that bring each collector below the rent-exempt minimum to twice that minimum. A collector below
 * the minimum cannot receive a small fee. A collector at the minimum, as after a sweep, gets nothing. Otherwise `fund`
 * and `sweep` in turn would move money from the funder to the treasury.
 * @param input.feeLamports network fee of one such transaction
 * @throws {RangeError} on a negative amount, or a rent minimum of 0, which no cluster has
 */
export function computeFundPlan(
  input: Pick<Balances, "collectorLamports" | "funderLamports" | "rentMinimumLamports"> & { feeLamports: bigint },
): FundPlan {
  const { collectorLamports, funderLamports, rentMinimumLamports, feeLamports } = input;
  checkAmounts(rentMinimumLamports, [...collectorLamports, funderLamports, feeLamports]);
  const targetLamports = FUND_TARGET_IN_RENT_MINIMUMS * rentMinimumLamports;
  const transfers = collectorLamports.flatMap((heldLamports, collectorIndex) =>
    heldLamports < rentMinimumLamports ? [{ collectorIndex, lamports: targetLamports - heldLamports }] : [],
  );
  if (transfers.length === 0)
    return { targetLamports, transfers, totalLamports: 0n, feeLamports: 0n, shortfallLamports: 0n };
  const totalLamports = sumTransfers(transfers);
  const shortfallLamports = clampToZero(totalLamports + feeLamports + rentMinimumLamports - funderLamports);
  return { targetLamports, transfers, totalLamports, feeLamports, shortfallLamports };
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
  /** The sum of the transfers, which the treasury receives. */
  totalLamports: bigint;
  /** The sum of the network fees, which the collectors pay. */
  feeLamports: bigint;
}

/**
 * Plans the transfers of each collector's surplus over the rent-exempt minimum, minus the network fee, to the treasury.
 * A collector that sends keeps exactly the rent-exempt minimum.
 * @param input.feeLamports network fee of one transfer
 * @throws {RangeError} on a negative amount, or a rent minimum of 0, which no cluster has
 */
export function computeSweepPlan(
  input: Pick<Balances, "collectorLamports" | "treasuryLamports" | "rentMinimumLamports"> & { feeLamports: bigint },
): SweepPlan {
  const { collectorLamports, treasuryLamports, rentMinimumLamports, feeLamports } = input;
  checkAmounts(rentMinimumLamports, [...collectorLamports, treasuryLamports, feeLamports]);
  let transfers: Transfer[] = [];
  const skipped: SweepPlan["skipped"] = [];
  for (const [collectorIndex, heldLamports] of collectorLamports.entries()) {
    const lamports = heldLamports - rentMinimumLamports - feeLamports;
    if (heldLamports <= rentMinimumLamports) skipped.push({ collectorIndex, reason: "no_surplus" });
    else if (lamports <= feeLamports) skipped.push({ collectorIndex, reason: "not_worth_fee" });
    else transfers.push({ collectorIndex, lamports });
  }
  transfers.sort((a, b) => Number(b.lamports - a.lamports));
  const largestTransfer = transfers[0];
  if (largestTransfer && treasuryLamports + largestTransfer.lamports < rentMinimumLamports) {
    for (const { collectorIndex } of transfers) skipped.push({ collectorIndex, reason: "treasury_unopened" });
    transfers = [];
  }
  const totalFeeLamports = feeLamports * BigInt(transfers.length);
  return { transfers, skipped, totalLamports: sumTransfers(transfers), feeLamports: totalFeeLamports };
}

const sumTransfers = (transfers: readonly Transfer[]) => transfers.reduce((sum, { lamports }) => sum + lamports, 0n);

/** @throws {RangeError} on a negative amount, or a rent minimum that is not positive */
function checkAmounts(rentMinimumLamports: bigint, amounts: readonly bigint[]): void {
  if (rentMinimumLamports <= 0n) throw new RangeError("the rent-exempt minimum must be positive");
  if (amounts.some((amount) => amount < 0n)) throw new RangeError("a balance or fee is negative");
}
