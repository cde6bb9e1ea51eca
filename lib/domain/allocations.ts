import { ASSET_SYMBOLS, type AssetSymbol } from "./assets";
import { roundToMicro } from "./money";

/** A share of the investable balance. The share of SOL is not swapped. */
export interface Allocation {
  asset: AssetSymbol;
  /** Percent, above 0. */
  pct: number;
}

export const MAX_ALLOCATIONS = ASSET_SYMBOLS.length;

export type AllocationFault = "repeated_asset" | "too_many_decimals" | "wrong_sum";

/**
 * Lists the rules that allocations break: distinct assets, at most six decimals in each percentage, and a sum of
 * exactly 100. Compares in millionths of a percent, so that 33.333 + 33.333 + 33.334 is exactly 100.
 */
export function listAllocationFaults(allocations: readonly Allocation[]): AllocationFault[] {
  const percents = allocations.map(({ pct }) => pct);
  const faults: AllocationFault[] = [];
  if (new Set(allocations.map(({ asset }) => asset)).size < allocations.length) faults.push("repeated_asset");
  if (percents.some((pct) => pct !== roundToMicro(pct))) faults.push("too_many_decimals");
  if (roundToMicro(percents.reduce((sum, pct) => sum + pct, 0)) !== 100) faults.push("wrong_sum");
  return faults;
}
