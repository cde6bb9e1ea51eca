import { ASSETS, KNOWN_TOKEN_SYMBOLS, type KnownToken } from "../../domain/assets";
import { NATIVE_MINT } from "../../solana/programs";
import { readBalance } from "./chain-reads";
import type { Contents } from "./contents";
import { type EmptyingResult, emptyWallet, previewRemainder, type Recovery } from "./empty-wallet";
import { retryUntilNodeCaughtUp } from "./send";

const SOL_NEEDED_REASON = "The assets that stay need it for network fees and deposits.";
const NOT_SENT_ALONE_REASON =
  "Only supported assets and dollar tokens are sent one by one. Run this again for the rest.";
const ARRIVED_REASON = "It arrived while this was sent. Run this again for it.";

/** Sends each asset separately. SOL goes last, and stays if another asset still needs it. @throws as `emptyWallet` */
export async function emptyEach(recovery: Recovery, assets: readonly KnownToken[]): Promise<Contents> {
  const { contents, leftSol } = await sendEach(recovery, assets);
  const otherTokens = { account: null, reason: "Other tokens were not looked at." };
  return { ...contents, leftBehind: [...contents.leftBehind, ...leftSol], leftOut: [...contents.leftOut, otherTokens] };
}

/** Sends each known asset on its own, after `emptyWallet` has stopped with these contents. @throws as `emptyWallet` */
export async function emptyRest(recovery: Recovery, stopped: Contents, stopReason: string): Promise<Contents> {
  const { contents: sent, leftSol } = await sendEach(recovery, KNOWN_TOKEN_SYMBOLS);
  const { contents: rest } = await previewRemainder(recovery, null, false);
  const explain = ({ mint }: { mint: string }) =>
    [...sent.leftBehind, ...rest.leftBehind].find((token) => token.mint === mint)?.reason ?? NOT_SENT_ALONE_REASON;
  const leftTokens = rest.tokens.filter(({ amount }) => amount > 0n);
  return {
    ...sent,
    lamports: stopped.lamports,
    tokens: stopped.tokens,
    leftBehind: [...leftTokens.map((token) => ({ ...token, reason: explain(token) })), ...leftSol],
    leftOut: rest.leftOut,
    reason: recovery.landed.length > 0 ? null : (sent.reason ?? stopReason),
    stopReason,
  };
}

/** @returns the merged contents, and in `leftSol` the SOL that stays without being asked for */
async function sendEach(recovery: Recovery, assets: readonly KnownToken[]) {
  const results = new Map<KnownToken, EmptyingResult>();
  const tokens = assets.filter((asset) => asset !== "SOL");
  const mustBeSent = (asset: KnownToken) => {
    const result = results.get(asset);
    return !result || result.stopReason !== null || (result.contents.reason !== null && hasTokens(result.contents));
  };
  // Sending one asset returns rent, which may pay for the next asset.
  for (let landedCount = -1; landedCount < recovery.landed.length; ) {
    landedCount = recovery.landed.length;
    for (const asset of tokens.filter(mustBeSent)) results.set(asset, await emptyWallet(recovery, asset));
  }
  const isSolNeeded = [...results.values()].some(
    ({ stopReason, missingLamports }) => stopReason !== null || missingLamports > 0n,
  );
  const mustSendSol = assets.includes("SOL");
  const solResult = mustSendSol && !isSolNeeded ? await emptyWallet(recovery, "SOL") : null;
  if (solResult) results.set("SOL", solResult);
  const { chain, clock, ends, newestSlot } = recovery;
  const remainingLamports = await retryUntilNodeCaughtUp(clock, () => readBalance(chain, ends.wallet, newestSlot));
  const contents = { ...sumResults([...results.values()]), remainingLamports };
  const reason = solResult ? (findReason(solResult) ?? ARRIVED_REASON) : SOL_NEEDED_REASON;
  const isExplained = remainingLamports === 0n || !mustSendSol || (solResult?.contents.keepsRentMinimum ?? false);
  const sol = { mint: NATIVE_MINT, symbol: "SOL", decimals: ASSETS.SOL.decimals };
  return { contents, leftSol: isExplained ? [] : [{ ...sol, amount: remainingLamports, reason }] };
}

const hasTokens = ({ tokens }: Contents) => tokens.some(({ amount }) => amount > 0n);

/** Null when everything was sent. */
const findReason = ({ stopReason, contents }: EmptyingResult) => stopReason ?? contents.reason;

function sumResults(results: EmptyingResult[]): Contents {
  const lastContents = results.at(-1)!.contents;
  const allContents = results.map(({ contents }) => contents);
  const sentContents = results.filter((result) => findReason(result) === null).map(({ contents }) => contents);
  const sumAmounts = (getAmount: (contents: Contents) => bigint) =>
    sentContents.reduce((total, contents) => total + getAmount(contents), 0n);
  const leftBehind = results.flatMap((result) => {
    const { contents, stopReason } = result;
    const reason = findReason(result);
    if (reason === null || (stopReason === null && contents.leftBehind.length > 0)) return contents.leftBehind;
    const heldTokens = contents.tokens.filter(({ amount }) => amount > 0n);
    return [...contents.leftBehind, ...heldTokens.map((token) => ({ ...token, reason }))];
  });
  return {
    ...lastContents,
    lamports: allContents[0]!.lamports,
    tokens: allContents.flatMap(({ tokens }) => tokens),
    leftBehind,
    leftOut: allContents.flatMap(({ leftOut }) => leftOut),
    transactions: sentContents.reduce((count, { transactions }) => count + transactions, 0),
    networkFeeLamports: sumAmounts((contents) => contents.networkFeeLamports),
    depositLamports: sumAmounts((contents) => contents.depositLamports),
    returnedLamports: sumAmounts((contents) => contents.returnedLamports),
    sentLamports: sumAmounts((contents) => contents.sentLamports),
    keepsRentMinimum: allContents.some(({ keepsRentMinimum }) => keepsRentMinimum),
    reason:
      sentContents.length > 0
        ? null
        : findReason(results.find(({ contents }) => hasTokens(contents)) ?? results.at(-1)!),
  };
}
