import type { buildWrapBatchContract } from "../contracts/build-wrap-batch";
import type { DataOf, InputOf } from "../contracts/define";
import { fromMicroUsd, toMicroUsd } from "../domain/money";
import { roundUp, roundUpTerms, sumRoundUps } from "../domain/round-up";
import type { Deps } from "../ports";
import { refuseWrapWallets, wrapSaving } from "./steps/wrap";

export async function buildWrapBatch(
  deps: Deps,
  input: InputOf<typeof buildWrapBatchContract>,
): Promise<DataOf<typeof buildWrapBatchContract>> {
  refuseWrapWallets(deps, input);
  const terms = roundUpTerms(input);
  const values = input.txValuesUsd.map(toMicroUsd);
  const changes = values.map((value) => roundUp(value, terms));
  const valueMicroUsd = values.reduce((sum, value) => sum + value, 0n);
  const limitMicroUsd = BigInt(values.length) * terms.ceilingMicroUsd;
  const wrap = await wrapSaving(deps, input, { terms, valueMicroUsd, change: sumRoundUps(changes), limitMicroUsd });
  const items = changes.map(({ microUsd, skipped, capped }, i) => ({
    txValueUsd: fromMicroUsd(values[i]!),
    roundUpUsd: fromMicroUsd(microUsd),
    skipped,
    capped,
  }));
  return { ...wrap, items };
}
