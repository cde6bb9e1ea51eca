import type { DataOf, InputOf } from "../contracts/define";
import type { getReferenceContract } from "../contracts/get-reference";
import { decodeActivity } from "../domain/activity";
import { isAsBuilt, listLandedSavings, type SavedInto } from "../domain/built-saving";
import { createReferenceMark } from "../domain/reference";
import type { Deps } from "../ports/deps";
import type { RequestContext } from "../ports/request-context";
import { readClaim, readHeldSignature } from "./records/claim-records";
import { readReferenceBuilds } from "./records/references";
import { compareWithBuild, toBalanceChanges } from "./steps/amounts";
import { requireCallerWallet } from "./steps/caller-wallet";
import { createLagError } from "./steps/relay/outcomes";
import { readSearchProgress, searchForMark } from "./steps/saving/mark-search";
import { createIncompleteHistoryError } from "./steps/saving/next-saving";

/** Limit of transactions that one answer compares with the caller's build. The wallet alone can sign more than that. */
const MAX_COMPARED = 24;

/** Returns the savings that carry a reference: from the chain, and from the wallet's claim. */
export async function getReference(
  deps: Deps,
  input: InputOf<typeof getReferenceContract>,
  { caller }: Pick<RequestContext, "caller">,
): Promise<DataOf<typeof getReferenceContract>> {
  const { reference } = input;
  const wallet = requireCallerWallet(input.wallet, caller);
  const signedMark = { wallet, mark: createReferenceMark(wallet, reference) };
  // Read the claim before the chain. A transaction that lands between the two reads is then reported as landed.
  const claim = await readClaim(deps, signedMark);
  const minSlot = deps.signatureWatch.getHighestSlot();
  const progress = await readSearchProgress(deps, signedMark);
  const { listedMarks = [], isComplete } = await searchForMark(deps, signedMark, progress, () => false, minSlot);
  const recordedSignature = claim?.saved?.txSignature;
  const landedSignatures = listedMarks.filter(({ hasFailed }) => !hasFailed).map(({ txSignature }) => txSignature);
  const listedTransactions =
    recordedSignature === undefined || landedSignatures.includes(recordedSignature)
      ? landedSignatures
      : [recordedSignature, ...landedSignatures];
  const heldSignature = claim?.held ? readHeldSignature(claim.held) : null;
  const isPending = heldSignature !== null && !listedMarks.some(({ txSignature }) => txSignature === heldSignature);
  const [build = null] = await readReferenceBuilds(deps, caller, [{ wallet, reference }]);
  const { landed, notRun } = await readLandedSaving(deps, wallet, listedTransactions, build);
  const transactions = listedTransactions.filter((txSignature) => txSignature !== notRun);
  const comparison = { amounts: landed ? toBalanceChanges(landed) : [], ...compareWithBuild(build, landed?.savings) };
  const answer = { reference, wallet, transactions, isComplete, ...comparison };
  if (transactions.length > 0) return { ...answer, state: "confirmed" };
  if (isPending) return { ...answer, state: "pending" };
  if (!isComplete) throw createIncompleteHistoryError();
  return { ...answer, state: listedMarks.length > 0 ? "failed" : "unknown" };
}

/**
 * Reads what a wallet paid and saved in the transaction that is as built. If there is none, reads the newest one.
 * @param txSignatures newest first
 * @param build null if the caller has built nothing: the newest transaction is read then
 * @returns `landed`: null if no node returns the transaction. `notRun`: the transaction that was included and has not
 * run; null if none was read. Only the one that the claim names can be listed without its mark on the chain
 * @throws AppError upstream_unavailable if a transaction that may be as built cannot be read
 */
async function readLandedSaving(deps: Deps, wallet: string, txSignatures: string[], build: SavedInto | null) {
  const landings = [];
  let isUnread = false;
  let notRun: string | null = null;
  for (const txSignature of txSignatures.slice(0, build ? MAX_COMPARED : 1)) {
    const figures = await deps.rpc.readTransaction(txSignature);
    isUnread ||= figures === null;
    // Nothing is built here in a version that nodes cannot return.
    if (figures === null || figures === "unsupported") continue;
    if (figures.feeLamports === 0n) {
      notRun = txSignature;
      continue;
    }
    const savings = listLandedSavings(figures, wallet, deps.feeCollectors);
    landings.push({ ...decodeActivity(figures, wallet, deps.feeCollectors), savings });
    if (build && isAsBuilt(savings, build)) return { landed: landings.at(-1)!, notRun };
  }
  if (isUnread && build) throw createLagError();
  return { landed: landings[0] ?? null, notRun };
}
