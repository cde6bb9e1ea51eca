import type { KnownToken } from "../../domain/assets";
import type { WithdrawalEnds } from "../../domain/withdraw/withdrawal";
import { RecoverError } from "../errors";
import type { Clock } from "../platform";
import type { KeyPair } from "../sign/key-pair";
import { signWithKey } from "../sign/transactions";
import type { RecoverChain } from "./chain-reads";
import { type Contents, type ContentsPreview, previewContents } from "./contents";
import { retryUntilNodeCaughtUp, type SendResult, sendTransaction } from "./send";

export const MAX_EXPIRED = 3;
export const NOT_TAKEN_TEXT = "The network took nothing in time, three times in a row. Try again later.";

export interface Recovery {
  chain: RecoverChain;
  clock: Clock;
  keys: KeyPair;
  ends: WithdrawalEnds;
  landed: string[];
  onLanded: (signature: string) => void;
  /** Newest slot among the nodes' responses so far. Later responses must not be older. */
  newestSlot: number | undefined;
}

export interface EmptyingResult {
  contents: Contents;
  stopReason: string | null;
  /** Lamports that the service wallet lacks to continue; 0 when it lacks none. */
  missingLamports: bigint;
}

/**
 * Sends everything, or all of one asset. After the first refusal or failure, it keeps the rent minimum.
 * @throws {RecoverError} while a transaction may still land, or after three consecutive expired transactions
 */
export async function emptyWallet(recovery: Recovery, asset: KnownToken | null): Promise<EmptyingResult> {
  /** The wallet before the first transaction. After a refusal, the wallet as the rent-keeping plan found it. */
  let reportedContents: Contents | null = null;
  let mustKeepRent = false;
  const landedCountBefore = recovery.landed.length;
  for (let expiredCount = 0; expiredCount < MAX_EXPIRED; ) {
    const plan = await planRemainder(recovery, asset, mustKeepRent);
    const { contents, missingToKeep } = plan;
    const baseContents: Contents = reportedContents === null || mustKeepRent ? contents : reportedContents;
    reportedContents = { ...baseContents, leftBehind: contents.leftBehind };
    if (contents.reason !== null) {
      // Something landed and SOL is left: the run stopped early. Otherwise the reason says why nothing can be sent.
      const isStopped = recovery.landed.length > landedCountBefore && contents.lamports > 0n;
      const stopReason = isStopped ? contents.reason : null;
      return { contents: reportedContents, stopReason, missingLamports: plan.missingLamports };
    }
    const { result, landedCount, sentPlan } = await sendCorrectedOnce(recovery, plan);
    if (sentPlan !== plan) reportedContents = sentPlan.contents;
    if (landedCount > 0) expiredCount = 0;
    if (result.state === "expired") expiredCount++;
    else if (result.state === "unknown") throw new RecoverError(explainStop(result), recovery.landed);
    else if (result.state === "landed") {
      if (sentPlan.isComplete) return { contents: reportedContents, stopReason: null, missingLamports: 0n };
    } else if (mustKeepRent) {
      const stopReason = explainStop(result) + formatMissingAdvice(missingToKeep);
      return { contents: reportedContents, stopReason, missingLamports: missingToKeep };
    }
    // After a part has landed, the next plan asks for the new fee of the rest.
    const isCorrectedNext = landedCount > 0 && result.state === "refused" && sentPlan.isMispriced(landedCount, result);
    mustKeepRent ||= (result.state === "refused" && !isCorrectedNext) || result.state === "failed";
  }
  throw new RecoverError(NOT_TAKEN_TEXT, recovery.landed);
}

/** Sends the transactions of a plan, which it corrects once if the first is refused for its fee or compute units. */
async function sendCorrectedOnce(recovery: Recovery, plan: ContentsPreview) {
  const firstSending = await sendAll(recovery, plan.instructions);
  const { result, landedCount } = firstSending;
  if (result.state === "refused" && landedCount === 0 && plan.isMispriced(0, result)) {
    const correctedPlan = await plan.correct(result);
    if (correctedPlan.contents.reason === null)
      return { ...(await sendAll(recovery, correctedPlan.instructions)), sentPlan: correctedPlan };
  }
  return { ...firstSending, sentPlan: plan };
}

/**
 * Plans what is left. With `mustKeepRent`, the plan keeps the rent minimum if the wallet has enough SOL for that.
 * @returns the plan, and in `missingToKeep` the lamports that a rent-keeping plan lacks; 0 when it lacks none
 */
async function planRemainder(
  recovery: Recovery,
  asset: KnownToken | null,
  mustKeepRent: boolean,
): Promise<ContentsPreview & { missingToKeep: bigint }> {
  const rentKeepingPlan = mustKeepRent ? await previewRemainder(recovery, asset, true) : null;
  const chosenPlan =
    rentKeepingPlan?.contents.reason === null ? rentKeepingPlan : await previewRemainder(recovery, asset, false);
  return { ...chosenPlan, missingToKeep: rentKeepingPlan?.missingLamports ?? 0n };
}

/** Previews the wallet as it is after everything that the nodes have reported so far. */
export async function previewRemainder(
  recovery: Recovery,
  asset: KnownToken | null,
  keepRentMinimum: boolean,
): Promise<ContentsPreview> {
  const { chain, clock, ends, newestSlot: afterSlot } = recovery;
  const makePreview = () => previewContents(chain, ends, { asset, keepRentMinimum, afterSlot });
  const preview = await (afterSlot === undefined ? makePreview() : retryUntilNodeCaughtUp(clock, makePreview));
  recovery.newestSlot = Math.max(preview.slot, afterSlot ?? 0);
  return preview;
}

const formatMissingAdvice = (lamports: bigint) =>
  lamports === 0n
    ? ""
    : ` The wallet may have received something during the run. Add ${lamports} lamports to it, then run this again.`;

/** Sends transactions in order, until one does not land. @returns the last result, and how many landed */
async function sendAll(recovery: Recovery, transactions: ContentsPreview["instructions"]) {
  const { chain, clock, keys, ends, landed, onLanded } = recovery;
  const signTransaction = async (transaction: string) => signWithKey(transaction, keys);
  const signer = { address: ends.wallet, signTransaction };
  let result: SendResult = { state: "expired", signature: "" };
  let landedCount = 0;
  for (const instructions of transactions) {
    result = await sendTransaction(chain, clock, signer, instructions, recovery.newestSlot!);
    if ("slot" in result) recovery.newestSlot = Math.max(result.slot, recovery.newestSlot!);
    if (result.state !== "landed") break;
    landed.push(result.signature);
    onLanded(result.signature);
    landedCount++;
  }
  return { result, landedCount };
}

export function explainStop(result: Exclude<SendResult, { state: "landed" | "expired" }>): string {
  if (result.state === "unknown")
    return `It is not known yet whether ${result.signature} landed. Look again in a while.`;
  if (result.state === "refused") return `It would fail now, so it was not sent: ${result.error}`;
  return `${result.signature} failed on the chain: ${result.error}`;
}
