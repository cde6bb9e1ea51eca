import type { AssetSymbol } from "../../domain/assets";
import type { WithdrawalEnds } from "../../domain/withdraw/withdrawal";
import type { KeyPair } from "../sign/key-pair";
import type { Clock } from "../world";
import { type Contents, type ContentsPreview, type Looking, previewContents, type RecoverChain } from "./contents";
import { type SendResult, sendOnce, untilNodeCaughtUp } from "./send";

/** It stopped on the way. What landed has landed, and calling it again goes on with what the chain then shows. */
export class RecoverError extends Error {
  override name = "RecoverError";
  constructor(
    message: string,
    /** Of the transactions that landed. */
    readonly landed: readonly string[],
  ) {
    super(message);
  }
}

/** Times in a row that a transaction may miss its time. */
const MAX_EXPIRED = 3;

export interface Job {
  chain: RecoverChain;
  clock: Clock;
  keys: KeyPair;
  ends: WithdrawalEnds;
  /** Signatures of the transactions that landed; grows. */
  landed: string[];
  onLanded: (signature: string) => void;
}

interface Emptied {
  contents: Contents;
  /** Why it stopped on the way; null when nothing more is to be sent. */
  stopped: string | null;
  /** SOL that the service wallet lacks for it. */
  missingLamports: bigint;
}

/**
 * Sends everything, or all of one asset. After the first refusal it looks again and keeps the rent minimum.
 * @throws {RecoverError} while something may still land, or when the network takes nothing
 */
export async function empty(job: Job, asset: AssetSymbol | null): Promise<Emptied> {
  let first: Contents | null = null;
  let careful = false;
  let slot: number | undefined;
  const before = job.landed.length;
  for (let expired = 0; expired < MAX_EXPIRED; ) {
    const { contents, instructions, complete, missingToKeep, ...seen } = await lookAgain(job, asset, careful, slot);
    slot = seen.slot;
    const shown: Contents = first === null || careful ? contents : first;
    first = { ...shown, leftBehind: contents.leftBehind };
    if (contents.reason !== null) {
      const isStopped = job.landed.length > before && contents.lamports > 0n;
      return { contents: first, stopped: isStopped ? contents.reason : null, missingLamports: seen.missingLamports };
    }
    const end = await sendAll(job, instructions, slot);
    slot = end.slot ?? slot;
    if (end.landed > 0) expired = 0;
    if (end.state === "expired") expired++;
    else if (end.state === "unknown") throw new RecoverError(whyStopped(end), job.landed);
    else if (end.state === "landed") {
      if (complete) return { contents: first, stopped: null, missingLamports: 0n };
    } else if (careful) {
      return { contents: first, stopped: whyStopped(end) + adviceFor(missingToKeep), missingLamports: missingToKeep };
    }
    careful ||= end.state === "refused" || end.state === "failed";
  }
  throw new RecoverError("The network took nothing in time, three times in a row. Try again later.", job.landed);
}

/** A wallet with too little SOL for the careful way can only try the exact one again. */
async function lookAgain(
  job: Job,
  asset: AssetSymbol | null,
  careful: boolean,
  afterSlot?: number,
): Promise<ContentsPreview & { missingToKeep: bigint }> {
  const { chain, clock, ends } = job;
  const lookAt = (looking: Looking) =>
    afterSlot === undefined
      ? previewContents(chain, ends, looking)
      : untilNodeCaughtUp(clock, () => previewContents(chain, ends, looking));
  if (!careful) return { ...(await lookAt({ asset, keepRentMinimum: false, afterSlot })), missingToKeep: 0n };
  const kept = await lookAt({ asset, keepRentMinimum: true, afterSlot });
  if (kept.contents.reason === null) return { ...kept, missingToKeep: kept.missingLamports };
  return { ...(await lookAt({ asset, keepRentMinimum: false, afterSlot })), missingToKeep: kept.missingLamports };
}

const adviceFor = (lamports: bigint) =>
  lamports === 0n
    ? ""
    : ` Somebody may have sent something to the wallet meanwhile. With ${lamports} lamports more in it, that cannot stop this.`;

type End = SendResult & { landed: number; slot?: number };

/** Sends the transactions in order. @returns how the last one ended, after how many that landed */
async function sendAll(job: Job, groups: ContentsPreview["instructions"], afterSlot: number): Promise<End> {
  const { chain, clock, keys, landed, onLanded } = job;
  let slot = afterSlot;
  let end: SendResult = { state: "expired" };
  let count = 0;
  for (const group of groups) {
    end = await sendOnce(chain, clock, keys, group, slot);
    if (end.state !== "landed") break;
    landed.push(end.signature);
    onLanded(end.signature);
    slot = end.slot;
    count++;
  }
  return { slot, ...end, landed: count };
}

function whyStopped(sending: Exclude<SendResult, { state: "landed" | "expired" }>): string {
  if (sending.state === "unknown")
    return `It is not known yet whether ${sending.signature} landed. Look again in a while.`;
  if (sending.state === "refused") return `It would fail now, so it was not sent: ${sending.error}`;
  return `${sending.signature} failed on the chain: ${sending.error}`;
}

/**
 * Sends each asset by itself, and names what could not be sent. SOL goes last, and stays while an asset needs it on its way.
 * @throws {RecoverError} as `empty`
 */
export async function emptyEach(job: Job, assets: readonly AssetSymbol[]): Promise<Contents> {
  const parts = new Map<AssetSymbol, Emptied>();
  const tokens = assets.filter((asset) => asset !== "SOL");
  const isLeft = (asset: AssetSymbol) => {
    const part = parts.get(asset);
    return !part || part.stopped !== null || (part.contents.reason !== null && holds(part.contents));
  };
  // The deposits that one asset returns may pay for sending another.
  for (let landed = -1; landed < job.landed.length; ) {
    landed = job.landed.length;
    for (const asset of tokens.filter(isLeft)) parts.set(asset, await empty(job, asset));
  }
  const isNeeded = [...parts.values()].some(({ stopped, missingLamports }) => stopped !== null || missingLamports > 0n);
  if (assets.includes("SOL") && !isNeeded) parts.set("SOL", await empty(job, "SOL"));
  return sumOf([...parts.values()]);
}

const holds = ({ tokens }: Contents) => tokens.some(({ amount }) => amount > 0n);

function sumOf(parts: Emptied[]): Contents {
  const last = parts.at(-1)!.contents;
  const all = parts.map(({ contents }) => contents);
  const sum = (of: (contents: Contents) => bigint) => all.reduce((total, one) => total + of(one), 0n);
  const sent = all.filter(({ reason }) => reason === null);
  const leftBehind = parts.flatMap(({ contents, stopped }) => {
    const why = stopped ?? contents.reason;
    const held =
      why === null || (stopped === null && contents.leftBehind.length > 0)
        ? []
        : contents.tokens.filter(({ amount }) => amount > 0n);
    return [...contents.leftBehind, ...held.map((token) => ({ ...token, reason: why! }))];
  });
  return {
    ...last,
    lamports: all[0]!.lamports,
    tokens: all.flatMap(({ tokens }) => tokens),
    leftBehind,
    leftOut: [...all.flatMap(({ leftOut }) => leftOut), { account: null, reason: "Other tokens were not looked at." }],
    transactions: all.reduce((count, { transactions }) => count + transactions, 0),
    networkFeeLamports: sum((one) => one.networkFeeLamports),
    depositLamports: sum((one) => one.depositLamports),
    returnedLamports: sum((one) => one.returnedLamports),
    sentLamports: sum((one) => one.sentLamports),
    keepsRentMinimum: all.some(({ keepsRentMinimum }) => keepsRentMinimum),
    reason: sent.length > 0 ? null : (all.find(({ tokens }) => tokens.length > 0) ?? last).reason,
  };
}
