import type { Mark } from "../../../domain/marks";
import { createReferenceMark } from "../../../domain/reference";
import type { Deps } from "../../../ports/deps";
import type { Caller } from "../../../ports/request-context";
import { recordReferenceBuild, recordReferenceText } from "../../records/references";
import { recordMarkedPayee } from "../../records/service-wallets";
import { createIncompleteHistoryError, findSaved, readStoredStanding, refuseUnlessNext } from "./next-saving";
import { buildSavingTransfers, type Saving, type Wrap, type WrapWallets } from "./saving-transfers";

/**
 * Refuses a period or a reference that is saved, and records the payee of the saving that is built.
 * @param message explains the refusal
 * @throws AppError already_saved; upstream_unavailable while the history has not been read completely
 */
export async function prepareMark(deps: Deps, wallets: WrapWallets, mark: Mark, message: string): Promise<void> {
  const { userPubkey: wallet, serviceWalletPubkey } = wallets;
  const signedMark = { wallet, mark };
  const { saved, isComplete } = await findSaved(deps, signedMark, await readStoredStanding(deps, signedMark));
  if (!isComplete) throw createIncompleteHistoryError();
  refuseUnlessNext(signedMark, 0, saved, message);
  await recordMarkedPayee(deps, wallet, serviceWalletPubkey);
}

/**
 * Builds a saving under the reference that the request names, if any. Records the reference's text, and what the caller
 * has built under it.
 * @param caller whose build is recorded; undefined records none
 */
export async function buildUnderReference(
  deps: Deps,
  { reference, ...wallets }: WrapWallets & { reference?: string | undefined },
  saving: Omit<Saving, "mark">,
  caller: Caller | undefined,
): Promise<Wrap> {
  if (reference === undefined) return buildSavingTransfers(deps, wallets, saving);
  const { userPubkey: wallet, serviceWalletPubkey: serviceWallet } = wallets;
  const mark = createReferenceMark(wallet, reference);
  await Promise.all([
    prepareMark(deps, wallets, mark, "A saving with this reference has landed."),
    recordReferenceText(deps, wallet, mark.value, reference),
  ]);
  const wrap = await buildSavingTransfers(deps, wallets, { ...saving, mark });
  if (wrap.transaction && caller) {
    const build = { serviceWallet, microUsd: saving.roundUp.microUsd, feeBps: saving.terms.feeBps };
    await recordReferenceBuild(deps, caller, { wallet, reference }, { ...build, ...readWrapAmounts(wrap) });
  }
  return wrap;
}

const readWrapAmounts = ({ breakdown }: Wrap) => ({
  savedLamports: BigInt(breakdown.userInvestmentLamports + breakdown.activationLamports),
  feeLamports: BigInt(breakdown.serviceFeeLamports),
  savedUsdc: BigInt(breakdown.userInvestmentUnits),
  feeUsdc: BigInt(breakdown.serviceFeeUnits),
});
