import { clampToZero } from "../domain/money";
import type { Balances } from "./chain";

/* Plans the transfers of `fund` and `sweep`. Pure functions; all amounts are integer lamports or micro-USDC. */

/** Target balance of a funded collector, in rent-exempt minimums. Two still suffice after a rise of the rent rate. */
const FUND_TARGET_IN_RENT_MINIMUMS = 2n;

interface Transfer {
  /** The collector's position in the list of collectors, from 0. */
  collectorIndex: number;
  lamports: bigint;
}

export type FundPlan = ReturnType<typeof computeFundPlan>;

/**
 * Plans the transfers that bring each collector below the rent-exempt minimum to twice that minimum, and the opening of
 * missing USDC accounts. A collector below the minimum cannot receive a small fee. A collector at the minimum, as after
 * a sweep, gets nothing. Otherwise `fund` and `sweep` in turn would move money from the funder to the treasury.
 * @throws {RangeError} on a negative amount, or a rent minimum of 0, which no cluster has
 */
export function computeFundPlan(
  balances: Pick<Balances, "collectorLamports" | "collectorUsdc" | "rentMinimumLamports">,
) {
  const { collectorLamports, collectorUsdc, rentMinimumLamports } = balances;
  checkAmounts(rentMinimumLamports, collectorLamports);
  /** The balance that each funded collector will have. */
  const targetLamports = FUND_TARGET_IN_RENT_MINIMUMS * rentMinimumLamports;
  const transfers = collectorLamports.flatMap((heldLamports, collectorIndex) =>
    heldLamports < rentMinimumLamports ? [{ collectorIndex, lamports: targetLamports - heldLamports }] : [],
  );
  const openings = collectorUsdc.flatMap(({ state, depositLamports }, collectorIndex) =>
    state === "missing" ? [{ collectorIndex, depositLamports }] : [],
  );
  const depositLamports = openings.reduce((sum, opening) => sum + opening.depositLamports, 0n);
  /** Without the network fee. */
  const totalLamports = sumTransfers(transfers) + depositLamports;
  return { targetLamports, transfers, openings, totalLamports };
}

/** Returns the lamports that the funder lacks to spend `spentLamports` and keep its own rent-exempt minimum. */
export const computeShortfall = (
  { funderLamports, rentMinimumLamports }: Pick<Balances, "funderLamports" | "rentMinimumLamports">,
  spentLamports: bigint,
): bigint => clampToZero(spentLamports + rentMinimumLamports - funderLamports);

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

/**
 * The least that a collector sends to the treasury in USDC, in micro-USDC. It is far above the network fee. Otherwise a
 * stranger who sends dust could make the funder pay a fee for every sweep.
 */
export const MIN_SWEPT_USDC_UNITS = 100_000n;

export type UsdcSweepPlan = ReturnType<typeof computeUsdcSweepPlan>;

/**
 * Plans the transfers of the collectors' USDC to the treasury, each in its own transaction. Their accounts stay open.
 * With `opensTreasury`, the transactions open the treasury's missing USDC account.
 */
export function computeUsdcSweepPlan({
  collectorUsdc,
  treasuryUsdc,
}: Pick<Balances, "collectorUsdc" | "treasuryUsdc">) {
  const transfers = collectorUsdc.flatMap(({ units }, collectorIndex) =>
    units >= MIN_SWEPT_USDC_UNITS ? [{ collectorIndex, units }] : [],
  );
  const totalUnits = transfers.reduce((sum, { units }) => sum + units, 0n);
  return { transfers, totalUnits, opensTreasury: transfers.length > 0 && treasuryUsdc.state === "missing" };
}

const sumTransfers = (transfers: readonly Transfer[]) => transfers.reduce((sum, { lamports }) => sum + lamports, 0n);

/** @throws {RangeError} on a negative amount, or a rent minimum that is not positive */
function checkAmounts(rentMinimumLamports: bigint, amounts: readonly bigint[]): void {
  if (rentMinimumLamports <= 0n) throw new RangeError("the rent-exempt minimum must be positive");
  if (amounts.some((amount) => amount < 0n)) throw new RangeError("a balance or fee is negative");
}
