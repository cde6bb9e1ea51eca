import { type Movement, readAuthority, readMoney } from "./movements";

/** A pair of transfers that saves, in SOL or in USDC. Amounts in the other are 0. */
export interface Wrap {
  from: string;
  to: string;
  savedLamports: bigint;
  feeLamports: bigint;
  savedUsdc: bigint;
  feeUsdc: bigint;
}

/**
 * Finds the wraps of a transaction. A wrap is the pair of transfers that POST /api/wrap builds: the fee to a collector,
 * followed directly by one into a service wallet. An app may have put the fee directly behind the other transfer. A
 * transfer belongs to one wrap at most, or two fees would save it twice.
 */
export function findWraps(movements: Movement[], feeCollectors: readonly string[]): Wrap[] {
  const wrapped = new Set<Movement>();
  return movements.flatMap((fee, i) => {
    const { from, to: collector, token } = fee;
    const isSaving = (movement: Movement | undefined) =>
      movement?.from === from &&
      !wrapped.has(movement) &&
      movement.token?.mint === token?.mint &&
      readAuthority(movement) === readAuthority(fee) &&
      readMoney(movement)! > 0n &&
      ![from, ...feeCollectors].includes(movement.to);
    const feeAmount = readMoney(fee);
    const saving = feeAmount === null ? undefined : [movements[i + 1], movements[i - 1]].find(isSaving);
    if (!saving || !feeCollectors.includes(collector)) return [];
    wrapped.add(saving);
    const [saved, none] = [readMoney(saving)!, { from, to: saving.to, ...NOTHING }];
    return token
      ? { ...none, savedUsdc: saved, feeUsdc: feeAmount! }
      : { ...none, savedLamports: saved, feeLamports: feeAmount! };
  });
}

const NOTHING = { savedLamports: 0n, feeLamports: 0n, savedUsdc: 0n, feeUsdc: 0n };
