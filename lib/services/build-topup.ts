import type { buildTopupContract } from "../contracts/build-topup";
import type { DataOf, InputOf } from "../contracts/define";
import { computePeriodClose, type Mark } from "../domain/marks";
import { toMicroUsd } from "../domain/money";
import { toTopupTerms } from "../domain/round-up";
import { createFieldError } from "../errors";
import type { Deps } from "../ports/deps";
import type { RequestContext } from "../ports/request-context";
import { buildUnderReference, prepareMark } from "./steps/saving/prepare-mark";
import { buildSavingTransfers, refuseInvalidWallets } from "./steps/saving/saving-transfers";

/**
 * Builds a top-up. Refuses a second one of a period or a reference if the store or the chain knows that the
 * first has landed. Execute makes the final check.
 */
export async function buildTopup(
  deps: Deps,
  input: InputOf<typeof buildTopupContract>,
  context?: Pick<RequestContext, "caller">,
): Promise<DataOf<typeof buildTopupContract>> {
  refuseInvalidWallets(deps, input);
  const { amountUsd, period } = input;
  const microUsd = toMicroUsd(amountUsd);
  const roundUp = { microUsd, skipped: false, capped: false };
  const saving = { terms: toTopupTerms(microUsd), valueMicroUsd: 0n, roundUp, limitMicroUsd: microUsd };
  if (period === undefined) return buildUnderReference(deps, input, saving, context?.caller);
  if ((computePeriodClose(period) ?? Number.POSITIVE_INFINITY) <= deps.clock.now())
    throw createFieldError("period", "has closed. A period stays open until the end of the next one");
  const mark: Mark = { kind: "topup", value: period };
  await prepareMark(deps, input, mark, "The top-up of this period has been made.");
  return buildSavingTransfers(deps, input, { ...saving, mark });
}
