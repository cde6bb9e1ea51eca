import type { buildWrapBatchContract } from "../contracts/build-wrap-batch";
import type { DataOf, InputOf } from "../contracts/define";
import { fromMicroUsd, toMicroUsd } from "../domain/money";
import { type RoundUp, roundUp, roundUpTerms, sumRoundUps } from "../domain/round-up";
import type { Deps } from "../ports";
import { rememberMarked } from "./steps/marked-wrap";
import { refuseSavedThrough, rememberWrap } from "./steps/through";
import { refuseWrapWallets, wrapSaving } from "./steps/wrap";

type Batch = DataOf<typeof buildWrapBatchContract>;

export async function buildWrapBatch(deps: Deps, input: InputOf<typeof buildWrapBatchContract>): Promise<Batch> {
  refuseWrapWallets(deps, input);
  const { userPubkey: wallet, through, after } = input;
  if (through !== undefined) await refuseSavedThrough(deps, { wallet, through, after });
  const terms = roundUpTerms(input);
  const values = input.txValuesUsd.map(toMicroUsd);
  const changes = values.map((value) => roundUp(value, terms));
  const valueMicroUsd = values.reduce((sum, value) => sum + value, 0n);
  const limitMicroUsd = BigInt(values.length) * terms.ceilingMicroUsd;
  const saving = { terms, valueMicroUsd, change: sumRoundUps(changes), limitMicroUsd };
  if (through === undefined) return answer(values, changes, await wrapSaving(deps, input, saving));
  const wrap = await wrapSaving(deps, input, { ...saving, mark: { kind: "through", value: through } });
  await rememberMarked(deps, wallet, input.serviceWalletPubkey);
  const batch = { wallet, through, after, microUsd: values };
  await rememberWrap(deps, batch, wrap.transaction && amountsOf(wrap.breakdown));
  return answer(values, changes, wrap);
}

const amountsOf = ({ userInvestmentLamports, activationLamports, serviceFeeLamports }: Batch["breakdown"]) => ({
  saved: BigInt(userInvestmentLamports + activationLamports),
  fee: BigInt(serviceFeeLamports),
});

function answer(values: bigint[], changes: RoundUp[], wrap: Omit<Batch, "items">): Batch {
  const items = changes.map(({ microUsd, skipped, capped }, i) => ({
    txValueUsd: fromMicroUsd(values[i]!),
    roundUpUsd: fromMicroUsd(microUsd),
    skipped,
    capped,
  }));
  return { ...wrap, items };
}
