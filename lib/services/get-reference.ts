import type { DataOf, InputOf } from "../contracts/define";
import type { getReferenceContract } from "../contracts/get-reference";
import { createReferenceMark } from "../domain/reference";
import { AppError } from "../errors";
import type { Deps } from "../ports/deps";
import type { RequestContext } from "../ports/request-context";
import { resolveCallerWallet } from "./steps/caller-wallet";
import { readClaim, readHeldSignature } from "./steps/relay/claim-records";
import { createIncompleteHistoryError } from "./steps/saving/chain-marks";
import { searchForMark } from "./steps/saving/mark-search";

/**
 * Returns the savings that carry a reference: from the chain, and from the wallet's claim.
 * @throws AppError wallet_required, invalid_request; upstream_unavailable while nothing is found and not all was read
 */
export async function getReference(
  deps: Deps,
  input: InputOf<typeof getReferenceContract>,
  { caller }: Pick<RequestContext, "caller">,
): Promise<DataOf<typeof getReferenceContract>> {
  const { reference } = input;
  const wallet = resolveCallerWallet(input.wallet, caller);
  if (wallet === null) {
    const message = "A static key belongs to no wallet: name the wallet as `?wallet=`.";
    throw new AppError("wallet_required", { message });
  }
  const signedMark = { wallet, mark: createReferenceMark(wallet, reference) };
  // Read the claim before the chain. A transaction that lands between the two reads is then reported as landed.
  const claim = await readClaim(deps, signedMark);
  const minSlot = deps.signatureWatch.getHighestSlot();
  const { listedMarks = [], isComplete } = await searchForMark(deps, signedMark, () => false, minSlot);
  const recordedSignature = claim?.saved?.txSignature;
  const landedSignatures = listedMarks.filter(({ hasFailed }) => !hasFailed).map(({ txSignature }) => txSignature);
  const transactions =
    recordedSignature === undefined || landedSignatures.includes(recordedSignature)
      ? landedSignatures
      : [recordedSignature, ...landedSignatures];
  const heldSignature = claim?.held ? readHeldSignature(claim.held) : null;
  const isPending = heldSignature !== null && !listedMarks.some(({ txSignature }) => txSignature === heldSignature);
  const answer = { reference, wallet, transactions, isComplete };
  if (transactions.length > 0) return { ...answer, state: "confirmed" };
  if (isPending) return { ...answer, state: "pending" };
  if (!isComplete) throw createIncompleteHistoryError();
  return { ...answer, state: listedMarks.length > 0 ? "failed" : "unknown" };
}
