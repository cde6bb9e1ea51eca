import { fromMicroUsd, lamportsToSol } from "../../../domain/money";
import { type RoundUp, type RoundUpTerms, splitFee, splitLamports } from "../../../domain/round-up";

/**
 * Converts a round-up to the answer of /api/roundup. Bigint micro-dollars and lamports become JSON numbers in dollars,
 * SOL and lamports. `splitFee` and `splitLamports` keep fee + investment equal to the total: a $0.37 round-up with a
 * fee of 10% splits into two parts that add up to $0.37.
 * @param solPrice micro-dollars per SOL; null makes all SOL and lamport fields null
 */
export function toRoundUpFields(
  txValueMicroUsd: bigint,
  terms: RoundUpTerms,
  change: RoundUp,
  solPrice: bigint | null,
) {
  const usd = splitFee(change.microUsd, terms.feeBps);
  const lamports = solPrice === null ? null : splitLamports(change.microUsd, terms.feeBps, solPrice);
  return {
    txValueUsd: fromMicroUsd(txValueMicroUsd),
    plan: terms.plan,
    roundToUsd: fromMicroUsd(terms.incrementMicroUsd),
    ceilingUsd: fromMicroUsd(terms.ceilingMicroUsd),
    multiplier: Number(terms.multiplier),
    roundedToUsd: fromMicroUsd(txValueMicroUsd + change.microUsd),
    roundUpUsd: fromMicroUsd(change.microUsd),
    roundUpSol: toSolOrNull(lamports?.total),
    serviceFeePercent: Number(terms.feeBps) / 100,
    serviceFeeUsd: fromMicroUsd(usd.fee),
    serviceFeeSol: toSolOrNull(lamports?.fee),
    userInvestmentUsd: fromMicroUsd(usd.investment),
    userInvestmentSol: toSolOrNull(lamports?.investment),
    roundUpLamports: toNumberOrNull(lamports?.total),
    serviceFeeLamports: toNumberOrNull(lamports?.fee),
    userInvestmentLamports: toNumberOrNull(lamports?.investment),
    solPriceUsd: solPrice === null ? null : fromMicroUsd(solPrice),
    skipped: change.skipped,
    capped: change.capped,
  };
}

const toSolOrNull = (amount: bigint | undefined) => (amount === undefined ? null : lamportsToSol(amount));
const toNumberOrNull = (amount: bigint | undefined) => (amount === undefined ? null : Number(amount));
