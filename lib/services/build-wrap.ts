import type { buildWrapContract } from "../contracts/build-wrap";
import type { DataOf, InputOf } from "../contracts/define";
import { toMicroUsd } from "../domain/money";
import { roundUp, toRoundUpTerms } from "../domain/round-up";
import type { Deps } from "../ports/deps";
import { prepareReference } from "./steps/saving/prepare-mark";
import { buildSavingTransfers, refuseInvalidWallets } from "./steps/saving/saving-transfers";

/**
 * Builds the saving of one purchase.
 * @throws AppError wallets_equal, wallet_not_allowed, already_saved, and those of buildSavingTransfers
 */
export async function buildWrap(
  deps: Deps,
  input: InputOf<typeof buildWrapContract>,
): Promise<DataOf<typeof buildWrapContract>> {
  refuseInvalidWallets(deps, input);
  const terms = toRoundUpTerms(input);
  const valueMicroUsd = toMicroUsd(input.txValueUsd);
  const mark = await prepareReference(deps, input);
  return buildSavingTransfers(deps, input, {
    terms,
    valueMicroUsd,
    roundUp: roundUp(valueMicroUsd, terms),
    limitMicroUsd: terms.ceilingMicroUsd,
    mark,
  });
}
