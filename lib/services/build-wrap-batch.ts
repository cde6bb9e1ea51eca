import type { buildWrapBatchContract } from "../contracts/build-wrap-batch";
import type { DataOf, InputOf } from "../contracts/define";
import { fromMicroUsd, toMicroUsd } from "../domain/money";
import { type RoundUp, roundUp, sumRoundUps, toRoundUpTerms } from "../domain/round-up";
import type { Deps } from "../ports/deps";
import type { RequestContext } from "../ports/request-context";
import { recordMarkedPayee } from "./records/service-wallets";
import { requireNextBatch } from "./steps/saving/next-saving";
import { buildUnderReference } from "./steps/saving/prepare-mark";
import { buildSavingTransfers, refuseInvalidWallets } from "./steps/saving/saving-transfers";

type Batch = DataOf<typeof buildWrapBatchContract>;

export async function buildWrapBatch(
  deps: Deps,
  input: InputOf<typeof buildWrapBatchContract>,
  context?: Pick<RequestContext, "caller">,
): Promise<Batch> {
  refuseInvalidWallets(deps, input);
  const { through } = input;
  const terms = toRoundUpTerms(input);
  const valuesMicroUsd = input.txValuesUsd.map(toMicroUsd);
  const roundUps = valuesMicroUsd.map((value) => roundUp(value, terms));
  const valueMicroUsd = valuesMicroUsd.reduce((sum, value) => sum + value, 0n);
  const limitMicroUsd = BigInt(valuesMicroUsd.length) * terms.ceilingMicroUsd;
  const saving = { terms, valueMicroUsd, roundUp: sumRoundUps(roundUps), limitMicroUsd };
  if (through === undefined) {
    return toBatch(valuesMicroUsd, roundUps, await buildUnderReference(deps, input, saving, context?.caller));
  }
  // The contract requires `after` beside `through`.
  const mark = await requireNextBatch(deps, input.userPubkey, through, input.after!);
  const wrap = await buildSavingTransfers(deps, input, { ...saving, mark });
  await recordMarkedPayee(deps, input.userPubkey, input.serviceWalletPubkey);
  return toBatch(valuesMicroUsd, roundUps, wrap);
}

function toBatch(valuesMicroUsd: bigint[], roundUps: RoundUp[], wrap: Omit<Batch, "items">): Batch {
  const items = roundUps.map(({ microUsd, skipped, capped }, i) => ({
    txValueUsd: fromMicroUsd(valuesMicroUsd[i]!),
    roundUpUsd: fromMicroUsd(microUsd),
    skipped,
    capped,
  }));
  return { ...wrap, items };
}
