import type { KnownToken } from "../../domain/assets";
import type { WithdrawalEnds } from "../../domain/withdraw/withdrawal";
import { RecoverError } from "../errors";
import type { Clock } from "../platform";
import type { KeyPair } from "../sign/key-pair";
import { type Contents, type ContentsPreview, previewContents, type RecoverChain } from "./contents";
import { retryUntilNodeCaughtUp, type SendResult, sendTransaction } from "./send";

/** The recovery stops after this many expired transactions in a row. */
const MAX_EXPIRED = 3;

/** The keys, addresses and progress of one recovery. */
export interface Recovery {
  chain: RecoverChain;
  clock: Clock;
  keys: KeyPair;
  /** The service wallet and the destination. */
  ends: WithdrawalEnds;
  /** Signatures of the transactions that landed. The recovery appends to this list. */
  landed: string[];
  onLanded: (signature: string) => void;
}

interface EmptyingResult {
  contents: Contents;
  /** Why the recovery stopped early; null when nothing remains to be sent. */
  stopReason: string | null;
  /** Lamports that the service wallet lacks to continue; 0 when it lacks none. */
  missingLamports: bigint;
}

/**
 * Sends everything, or all of one asset. After the first refusal or failure, it reads the wallet again and keeps the
 * rent minimum.
 * @throws {RecoverError} while a transaction may still land, or after three consecutive expired transactions
 */
export async function emptyWallet(recovery: Recovery, asset: KnownToken | null): Promise<EmptyingResult> {
  /** The wallet before the first transaction. After a refusal, the wallet as the rent-keeping plan found it. */
  let reportedContents: Contents | null = null;
  let mustKeepRent = false;
  let slot: number | undefined;
  const landedCountBefore = recovery.landed.length;
  for (let expiredCount = 0; expiredCount < MAX_EXPIRED; ) {
    const plan = await planRemainder(recovery, asset, mustKeepRent, slot);
    const { contents, missingToKeep } = plan;
    slot = plan.slot;
    const baseContents: Contents = reportedContents === null || mustKeepRent ? contents : reportedContents;
    reportedContents = { ...baseContents, leftBehind: contents.leftBehind };
    if (contents.reason !== null) {
      // Something landed and SOL is left: the run stopped early. Otherwise the reason says why nothing can be sent.
      const isStopped = recovery.landed.length > landedCountBefore && contents.lamports > 0n;
      const stopReason = isStopped ? contents.reason : null;
      return { contents: reportedContents, stopReason, missingLamports: plan.missingLamports };
    }
    const result = await sendAll(recovery, plan.instructions, slot);
    slot = result.slot ?? slot;
    if (result.landedCount > 0) expiredCount = 0;
    if (result.state === "expired") expiredCount++;
    else if (result.state === "unknown") throw new RecoverError(explainStop(result), recovery.landed);
    else if (result.state === "landed") {
      if (plan.isComplete) return { contents: reportedContents, stopReason: null, missingLamports: 0n };
    } else if (mustKeepRent) {
      const stopReason = explainStop(result) + formatMissingAdvice(missingToKeep);
      return { contents: reportedContents, stopReason, missingLamports: missingToKeep };
    }
    mustKeepRent ||= result.state === "refused" || result.state === "failed";
  }
  throw new RecoverError("The network took nothing in time, three times in a row. Try again later.", recovery.landed);
}

/**
 * Reads the wallet again and plans what is left. With `mustKeepRent`, the plan keeps the rent minimum. For a wallet with
 * too little SOL for that, it makes the exact plan again.
 * @param afterSlot minimum slot of the node's responses
 * @returns the plan, and in `missingToKeep` the lamports that a rent-keeping plan lacks; 0 when it lacks none
 */
async function planRemainder(
  { chain, clock, ends }: Recovery,
  asset: KnownToken | null,
  mustKeepRent: boolean,
  afterSlot?: number,
): Promise<ContentsPreview & { missingToKeep: bigint }> {
  const makePlan = (keepRentMinimum: boolean) => {
    const previewPlan = () => previewContents(chain, ends, { asset, keepRentMinimum, afterSlot });
    return afterSlot === undefined ? previewPlan() : retryUntilNodeCaughtUp(clock, previewPlan);
  };
  const rentKeepingPlan = mustKeepRent ? await makePlan(true) : null;
  const chosenPlan = rentKeepingPlan?.contents.reason === null ? rentKeepingPlan : await makePlan(false);
  return { ...chosenPlan, missingToKeep: rentKeepingPlan?.missingLamports ?? 0n };
}

const formatMissingAdvice = (lamports: bigint) =>
  lamports === 0n
    ? ""
    : ` The wallet may have received something during the run. Add ${lamports} lamports to it, then run this again.`;

/** Sends transactions in order, until one does not land. @returns the last result, and how many landed */
async function sendAll(recovery: Recovery, transactions: ContentsPreview["instructions"], afterSlot: number) {
  const { chain, clock, keys, landed, onLanded } = recovery;
  let slot = afterSlot;
  let result: SendResult = { state: "expired", signature: "" };
  let landedCount = 0;
  for (const instructions of transactions) {
    result = await sendTransaction(chain, clock, keys, instructions, slot);
    if (result.state !== "landed") break;
    landed.push(result.signature);
    onLanded(result.signature);
    slot = result.slot;
    landedCount++;
  }
  return { slot, ...result, landedCount };
}

function explainStop(result: Exclude<SendResult, { state: "landed" | "expired" }>): string {
  if (result.state === "unknown")
    return `It is not known yet whether ${result.signature} landed. Look again in a while.`;
  if (result.state === "refused") return `It would fail now, so it was not sent: ${result.error}`;
  return `${result.signature} failed on the chain: ${result.error}`;
}

/**
 * Sends each asset separately, and reports the assets that could not be sent. SOL goes last. It stays if another asset
 * still needs it for fees or rent.
 * @throws {RecoverError} as `emptyWallet`
 */
export async function emptyEach(recovery: Recovery, assets: readonly KnownToken[]): Promise<Contents> {
  const results = new Map<KnownToken, EmptyingResult>();
  const tokens = assets.filter((asset) => asset !== "SOL");
  const mustBeSent = (asset: KnownToken) => {
    const result = results.get(asset);
    return !result || result.stopReason !== null || (result.contents.reason !== null && hasTokens(result.contents));
  };
  // The rent that one asset returns may pay for sending the next asset.
  for (let landedCount = -1; landedCount < recovery.landed.length; ) {
    landedCount = recovery.landed.length;
    for (const asset of tokens.filter(mustBeSent)) results.set(asset, await emptyWallet(recovery, asset));
  }
  const isSolNeeded = [...results.values()].some(
    ({ stopReason, missingLamports }) => stopReason !== null || missingLamports > 0n,
  );
  if (assets.includes("SOL") && !isSolNeeded) results.set("SOL", await emptyWallet(recovery, "SOL"));
  return sumResults([...results.values()]);
}

const hasTokens = ({ tokens }: Contents) => tokens.some(({ amount }) => amount > 0n);

/** Merges the results of several assets into one. A token that could not be sent is left behind, with the reason. */
function sumResults(results: EmptyingResult[]): Contents {
  const lastContents = results.at(-1)!.contents;
  const allContents = results.map(({ contents }) => contents);
  const sumAmounts = (getAmount: (contents: Contents) => bigint) =>
    allContents.reduce((total, contents) => total + getAmount(contents), 0n);
  const sentContents = allContents.filter(({ reason }) => reason === null);
  const leftBehind = results.flatMap(({ contents, stopReason }) => {
    const reason = stopReason ?? contents.reason;
    if (reason === null || (stopReason === null && contents.leftBehind.length > 0)) return contents.leftBehind;
    const heldTokens = contents.tokens.filter(({ amount }) => amount > 0n);
    return [...contents.leftBehind, ...heldTokens.map((token) => ({ ...token, reason }))];
  });
  return {
    ...lastContents,
    lamports: allContents[0]!.lamports,
    tokens: allContents.flatMap(({ tokens }) => tokens),
    leftBehind,
    leftOut: [
      ...allContents.flatMap(({ leftOut }) => leftOut),
      { account: null, reason: "Other tokens were not looked at." },
    ],
    transactions: allContents.reduce((count, { transactions }) => count + transactions, 0),
    networkFeeLamports: sumAmounts((contents) => contents.networkFeeLamports),
    depositLamports: sumAmounts((contents) => contents.depositLamports),
    returnedLamports: sumAmounts((contents) => contents.returnedLamports),
    sentLamports: sumAmounts((contents) => contents.sentLamports),
    keepsRentMinimum: allContents.some(({ keepsRentMinimum }) => keepsRentMinimum),
    reason:
      sentContents.length > 0 ? null : (allContents.find(({ tokens }) => tokens.length > 0) ?? lastContents).reason,
  };
}
