import type { AssetSymbol } from "../../domain/assets";
import type { WithdrawalEnds } from "../../domain/withdraw/withdrawal";
import { RecoverError } from "../errors";
import type { KeyPair } from "../sign/key-pair";
import type { Clock } from "../world";
import { type Contents, type ContentsPreview, previewContents, type RecoverChain } from "./contents";
import { retryUntilNodeCaughtUp, type SendResult, sendTransaction } from "./send";

/** Maximum number of consecutive expired transactions. */
const MAX_EXPIRED = 3;

/** The keys, addresses and progress of one recovery. */
export interface Recovery {
  chain: RecoverChain;
  clock: Clock;
  keys: KeyPair;
  ends: WithdrawalEnds;
  /** Signatures of the transactions that landed; the run appends to it. */
  landed: string[];
  onLanded: (signature: string) => void;
}

interface EmptyingResult {
  contents: Contents;
  /** Why the run stopped early; null when nothing remains to be sent. */
  stopped: string | null;
  /** Lamports that the service wallet lacks to continue. */
  missingLamports: bigint;
}

/**
 * Sends everything, or all of one asset. After the first refusal, it reads the wallet again and keeps the rent minimum.
 * @throws {RecoverError} while a transaction may still land, or after three consecutive expired transactions
 */
export async function emptyWallet(recovery: Recovery, asset: AssetSymbol | null): Promise<EmptyingResult> {
  /** The wallet before the first transaction. After a refusal, the wallet as the careful plan found it. */
  let reported: Contents | null = null;
  let careful = false;
  let slot: number | undefined;
  const before = recovery.landed.length;
  for (let expired = 0; expired < MAX_EXPIRED; ) {
    const { contents, instructions, complete, missingToKeep, ...plan } = await planRest(recovery, asset, careful, slot);
    slot = plan.slot;
    const shown: Contents = reported === null || careful ? contents : reported;
    reported = { ...shown, leftBehind: contents.leftBehind };
    if (contents.reason !== null) {
      const isStopped = recovery.landed.length > before && contents.lamports > 0n;
      return { contents: reported, stopped: isStopped ? contents.reason : null, missingLamports: plan.missingLamports };
    }
    const end = await sendAll(recovery, instructions, slot);
    slot = end.slot ?? slot;
    if (end.landed > 0) expired = 0;
    if (end.state === "expired") expired++;
    else if (end.state === "unknown") throw new RecoverError(explainStop(end), recovery.landed);
    else if (end.state === "landed") {
      if (complete) return { contents: reported, stopped: null, missingLamports: 0n };
    } else if (careful) {
      const stopped = explainStop(end) + formatAdvice(missingToKeep);
      return { contents: reported, stopped, missingLamports: missingToKeep };
    }
    careful ||= end.state === "refused" || end.state === "failed";
  }
  throw new RecoverError("The network took nothing in time, three times in a row. Try again later.", recovery.landed);
}

/**
 * Reads the wallet again and plans the rest. A careful plan keeps the rent minimum. A wallet with too little SOL for a
 * careful plan retries the exact plan.
 */
async function planRest(
  { chain, clock, ends }: Recovery,
  asset: AssetSymbol | null,
  careful: boolean,
  afterSlot?: number,
): Promise<ContentsPreview & { missingToKeep: bigint }> {
  const plan = (keepRentMinimum: boolean) => {
    const preview = () => previewContents(chain, ends, { asset, keepRentMinimum, afterSlot });
    return afterSlot === undefined ? preview() : retryUntilNodeCaughtUp(clock, preview);
  };
  const kept = careful ? await plan(true) : null;
  const rest = kept?.contents.reason === null ? kept : await plan(false);
  return { ...rest, missingToKeep: kept?.missingLamports ?? 0n };
}

const formatAdvice = (lamports: bigint) =>
  lamports === 0n
    ? ""
    : ` The wallet may have received something during the run. Add ${lamports} lamports to it, then run this again.`;

/** Sends the transactions in order. @returns the result of the last one, and how many landed */
async function sendAll(recovery: Recovery, groups: ContentsPreview["instructions"], afterSlot: number) {
  const { chain, clock, keys, landed, onLanded } = recovery;
  let slot = afterSlot;
  let end: SendResult = { state: "expired", signature: "" };
  let count = 0;
  for (const group of groups) {
    end = await sendTransaction(chain, clock, keys, group, slot);
    if (end.state !== "landed") break;
    landed.push(end.signature);
    onLanded(end.signature);
    slot = end.slot;
    count++;
  }
  return { slot, ...end, landed: count };
}

function explainStop(sending: Exclude<SendResult, { state: "landed" | "expired" }>): string {
  if (sending.state === "unknown")
    return `It is not known yet whether ${sending.signature} landed. Look again in a while.`;
  if (sending.state === "refused") return `It would fail now, so it was not sent: ${sending.error}`;
  return `${sending.signature} failed on the chain: ${sending.error}`;
}

/**
 * Sends each asset separately, and reports the assets that could not be sent. SOL goes last. It stays if another asset
 * still needs it for fees or rent.
 * @throws {RecoverError} as `emptyWallet`
 */
export async function emptyEach(recovery: Recovery, assets: readonly AssetSymbol[]): Promise<Contents> {
  const parts = new Map<AssetSymbol, EmptyingResult>();
  const tokens = assets.filter((asset) => asset !== "SOL");
  const isLeft = (asset: AssetSymbol) => {
    const part = parts.get(asset);
    return !part || part.stopped !== null || (part.contents.reason !== null && hasTokens(part.contents));
  };
  // The rent that one asset returns may pay for sending the next one.
  for (let landed = -1; landed < recovery.landed.length; ) {
    landed = recovery.landed.length;
    for (const asset of tokens.filter(isLeft)) parts.set(asset, await emptyWallet(recovery, asset));
  }
  const isNeeded = [...parts.values()].some(({ stopped, missingLamports }) => stopped !== null || missingLamports > 0n);
  if (assets.includes("SOL") && !isNeeded) parts.set("SOL", await emptyWallet(recovery, "SOL"));
  return sumResults([...parts.values()]);
}

const hasTokens = ({ tokens }: Contents) => tokens.some(({ amount }) => amount > 0n);

function sumResults(parts: EmptyingResult[]): Contents {
  const last = parts.at(-1)!.contents;
  const all = parts.map(({ contents }) => contents);
  const sum = (of: (contents: Contents) => bigint) => all.reduce((total, contents) => total + of(contents), 0n);
  const sent = all.filter(({ reason }) => reason === null);
  const leftBehind = parts.flatMap(({ contents, stopped }) => {
    const reason = stopped ?? contents.reason;
    if (reason === null || (stopped === null && contents.leftBehind.length > 0)) return contents.leftBehind;
    const held = contents.tokens.filter(({ amount }) => amount > 0n);
    return [...contents.leftBehind, ...held.map((token) => ({ ...token, reason }))];
  });
  return {
    ...last,
    lamports: all[0]!.lamports,
    tokens: all.flatMap(({ tokens }) => tokens),
    leftBehind,
    leftOut: [...all.flatMap(({ leftOut }) => leftOut), { account: null, reason: "Other tokens were not looked at." }],
    transactions: all.reduce((count, { transactions }) => count + transactions, 0),
    networkFeeLamports: sum((contents) => contents.networkFeeLamports),
    depositLamports: sum((contents) => contents.depositLamports),
    returnedLamports: sum((contents) => contents.returnedLamports),
    sentLamports: sum((contents) => contents.sentLamports),
    keepsRentMinimum: all.some(({ keepsRentMinimum }) => keepsRentMinimum),
    reason: sent.length > 0 ? null : (all.find(({ tokens }) => tokens.length > 0) ?? last).reason,
  };
}
