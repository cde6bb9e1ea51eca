import type { calculateRoundUpContract } from "../contracts/calculate-round-up";
import type { DataOf, InputOf } from "../contracts/define";
import { toMicroUsd } from "../domain/money";
import { roundUp, toRoundUpFields, toRoundUpTerms } from "../domain/round-up";
import type { Deps } from "../ports/deps";
import { readSoundSolPrice } from "./steps/prices/read-prices";

/** Calculates a round-up without building a saving. SOL amounts are null while no sound price of SOL is known. */
export async function calculateRoundUp(
  deps: Deps,
  input: InputOf<typeof calculateRoundUpContract>,
): Promise<DataOf<typeof calculateRoundUpContract>> {
  const terms = toRoundUpTerms(input);
  const valueMicroUsd = toMicroUsd(input.txValueUsd);
  const roundUpAmount = roundUp(valueMicroUsd, terms);
  return toRoundUpFields(valueMicroUsd, terms, roundUpAmount, await readSoundSolPrice(deps));
}
