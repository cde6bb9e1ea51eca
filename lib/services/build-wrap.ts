import type { buildWrapContract } from "../contracts/build-wrap";
import type { DataOf, InputOf } from "../contracts/define";
import { toMicroUsd } from "../domain/money";
import { roundUp, toRoundUpTerms } from "../domain/round-up";
import type { Deps } from "../ports/deps";
import type { RequestContext } from "../ports/request-context";
import { buildUnderReference } from "./steps/saving/prepare-mark";
import { refuseInvalidWallets } from "./steps/saving/saving-transfers";

export async function buildWrap(
  deps: Deps,
  input: InputOf<typeof buildWrapContract>,
  context?: Pick<RequestContext, "caller">,
): Promise<DataOf<typeof buildWrapContract>> {
  refuseInvalidWallets(deps, input);
  const terms = toRoundUpTerms(input);
  const valueMicroUsd = toMicroUsd(input.txValueUsd);
  const saving = { terms, valueMicroUsd, roundUp: roundUp(valueMicroUsd, terms), limitMicroUsd: terms.ceilingMicroUsd };
  return buildUnderReference(deps, input, saving, context?.caller);
}
