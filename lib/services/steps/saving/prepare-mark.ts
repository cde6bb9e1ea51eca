import type { Mark } from "../../../domain/marks";
import { createReferenceMark } from "../../../domain/reference";
import type { Deps } from "../../../ports/deps";
import { recordReferenceText } from "../reference-texts";
import { createAlreadySavedError, readClaim } from "../relay/claim-records";
import { recordMarkedPayee } from "./marked-payees";
import type { WrapWallets } from "./saving-transfers";

/**
 * Refuses a mark that is already saved, and records the payee of the saving that is built. Only for top-up periods and
 * references: each has its own claim.
 * @param message explains the refusal
 * @throws AppError already_saved if the store has a record of a landed saving with this mark
 */
export async function prepareMark(deps: Deps, wallets: WrapWallets, mark: Mark, message: string): Promise<void> {
  const { userPubkey: wallet, serviceWalletPubkey } = wallets;
  const claim = await readClaim(deps, { wallet, mark });
  if (claim?.saved) throw createAlreadySavedError(claim.saved, message);
  await recordMarkedPayee(deps, wallet, serviceWalletPubkey);
}

/**
 * Prepares the mark of a saving's reference and records the reference's text. Returns undefined without a reference.
 * @throws AppError already_saved
 */
export async function prepareReference(
  deps: Deps,
  { reference, ...wallets }: WrapWallets & { reference?: string | undefined },
): Promise<Mark | undefined> {
  if (reference === undefined) return undefined;
  const mark = createReferenceMark(wallets.userPubkey, reference);
  await Promise.all([
    prepareMark(deps, wallets, mark, "A saving with this reference has landed."),
    recordReferenceText(deps, wallets.userPubkey, mark.value, reference),
  ]);
  return mark;
}
