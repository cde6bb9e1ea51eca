import { computeMaxUnits } from "../solana/budget";
import { MAX_PRIORITY_FEE_LAMPORTS } from "../solana/compute-budget";
import { computeHighestBaseFee } from "../solana/fees";
import { MEMO_PROGRAM, TOKEN_PROGRAM } from "../solana/programs";
import { computeHighestRent } from "../solana/rent";

/** An allowance gives the service wallet the network fees of this many savings. */
export const RESERVED_SAVINGS = 20n;

/** More than the cost units that a saving by allowance asks for besides its compute units. */
const MAX_OTHER_COST_UNITS = 25_000;

/** Returns the most lamports that an allowance may give the service wallet under any fee model and rent. */
export function computeMaxReserve(): bigint {
  const units = computeMaxUnits([TOKEN_PROGRAM, MEMO_PROGRAM, TOKEN_PROGRAM]);
  const savingFee = computeHighestBaseFee(1, units + MAX_OTHER_COST_UNITS) + MAX_PRIORITY_FEE_LAMPORTS;
  return computeHighestRent(0n) + RESERVED_SAVINGS * savingFee;
}
