import type { buildTopupContract } from "../contracts/build-topup";
import type { DataOf, InputOf } from "../contracts/define";
import { type Mark, periodClosesAt } from "../domain/marks";
import { toMicroUsd } from "../domain/money";
import { topupTerms } from "../domain/round-up";
import { AppError } from "../errors";
import type { Deps } from "../ports/deps";
import { readClaim } from "./steps/relay/claim-records";
import { rememberMarked } from "./steps/saving/marked-wrap";
import { refuseWrapWallets, wrapSaving } from "./steps/saving/wrap";

/**
 * Builds a top-up. With a period, a second top-up of that period is refused here once the first has landed, and by
 * execute in every case.
 * @throws AppError already_saved when this period's top-up has landed; invalid_request when the period has closed
 */
export async function buildTopup(
  deps: Deps,
  input: InputOf<typeof buildTopupContract>,
): Promise<DataOf<typeof buildTopupContract>> {
  refuseWrapWallets(deps, input);
  const { amountUsd, period, userPubkey: wallet } = input;
  const microUsd = toMicroUsd(amountUsd);
  const change = { microUsd, skipped: false, capped: false };
  const saving = { terms: topupTerms(microUsd), valueMicroUsd: 0n, change, limitMicroUsd: microUsd };
  if (period === undefined) return wrapSaving(deps, input, saving);
  if ((periodClosesAt(period) ?? Number.POSITIVE_INFINITY) <= deps.clock.now()) {
    const message = "has closed. A period stays open until the end of the next one";
    throw new AppError("invalid_request", { message: `period: ${message}.`, issues: [{ path: "period", message }] });
  }
  const mark: Mark = { kind: "topup", value: period };
  const claim = await readClaim(deps, { wallet, mark });
  if (claim?.saved) throw new AppError("already_saved", { message: "The top-up of this period has been made." });
  await rememberMarked(deps, wallet, input.serviceWalletPubkey);
  return wrapSaving(deps, input, { ...saving, mark });
}
