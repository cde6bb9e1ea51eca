import bs58 from "bs58";
import {
  BLOCKHASH_BLOCKS,
  type ChainHead,
  type ExpiryBound,
  isCertainlyPastBound,
  mayBePastBound,
  mayShareChain,
} from "../../domain/expiry";
import { fromBase64, toBase64 } from "../../solana/bytes";
import { COMMITMENT } from "../../solana/commitment";
import type { InstructionLike } from "../../solana/instructions";
import { TRANSIENT_RPC_CODES } from "../../solana/rpc-error-codes";
import { composeTransaction, decodeTransaction } from "../../solana/transactions";
import type { Clock } from "../platform";
import type { RecoverChain } from "./chain-reads";

export type SendResult =
  | { state: "landed"; signature: string; slot: number }
  /** The transaction failed on the chain; only the fee was charged. */
  | { state: "failed"; signature: string; error: string; slot: number }
  /** The simulation failed, so the transaction was not sent. `feeLamports` is null when the node does not tell the fee. */
  | { state: "refused"; error: string; slot: number; feeLamports: bigint | null }
  /** The transaction has not landed and can no longer land. */
  | { state: "expired"; signature: string }
  /** The transaction may still land. */
  | { state: "unknown"; signature: string };

export interface TransactionSigner {
  address: string;
  signTransaction(transaction: string): Promise<string>;
}

const POLL_MS = 1_000;
/** Interval between resends of the same bytes, ms. Leaders drop transactions under load. A resend never pays twice. */
const RESEND_MS = 2_000;
/** Minimum time between the two polls that prove an expiry, ms. */
const MIN_PROOF_INTERVAL_MS = 2_000;
/** Maximum number of waits, POLL_MS each, for a node that lags behind. */
const MAX_WAITS = 20;
/** Every transaction has landed or expired after this time, ms. */
const MAX_FOLLOW_MS = 5 * 60_000;

/** Signs and simulates a transaction, then sends it as `followTransaction` does. @param minContextSlot of all responses */
export async function sendTransaction(
  chain: RecoverChain,
  clock: Clock,
  signer: TransactionSigner,
  instructions: InstructionLike[],
  minContextSlot: number,
): Promise<SendResult> {
  const readConfig = { commitment: COMMITMENT, minContextSlot };
  const signAndSimulate = async () => {
    const { context, value } = await chain.getLatestBlockhashAndContext(readConfig);
    const { blockhash, lastValidBlockHeight } = value;
    const unsigned = composeTransaction({ payer: signer.address, instructions, blockhash });
    const bytes = fromBase64(await signer.signTransaction(toBase64(unsigned.bytes)))!;
    const { decoded } = decodeTransaction(bytes);
    const simulated = await chain.simulateTransaction(decoded, { replaceRecentBlockhash: true, ...readConfig });
    const frame = { slot: context.slot, height: lastValidBlockHeight - BLOCKHASH_BLOCKS };
    const expiryBound = { lastValidBlockHeight, frame };
    // web3.js has no type for the fee, which nodes have reported since Agave 3.1.
    const { err, fee }: { err: unknown; fee?: number | null } = simulated.value;
    const feeLamports = fee == null ? null : BigInt(fee);
    return { bytes, expiryBound, error: err, feeLamports, slot: simulated.context.slot };
  };
  const { bytes, expiryBound, error, feeLamports, slot } = await retryUntilNodeCaughtUp(clock, signAndSimulate);
  if (error !== null) return { state: "refused", error: JSON.stringify(error), feeLamports, slot };
  return followTransaction(chain, clock, bytes, expiryBound);
}

/** Retries a task until a node is recent enough. @throws the task's error if it is permanent, or after MAX_WAITS retries */
export async function retryUntilNodeCaughtUp<Value>(clock: Clock, task: () => Promise<Value>): Promise<Value> {
  for (let retriesLeft = MAX_WAITS; ; retriesLeft--) {
    try {
      return await task();
    } catch (error) {
      if (retriesLeft === 0 || isPermanent(error)) throw error;
    }
    await clock.sleep(POLL_MS);
  }
}

/** web3.js reports an HTTP failure only by a message that starts with the status. 408 and 429 are transient. */
const PERMANENT_HTTP_STATUS_PATTERN = /^4(?!08|29)\d\d /;

/** Returns whether a retry cannot help: a refused destination, a rejected request or a malformed response. */
function isPermanent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // A number is the code of a JSON-RPC error. Failed connections have codes like "ECONNREFUSED".
  if ("code" in error && typeof error.code === "number") return !TRANSIENT_RPC_CODES.has(error.code);
  // web3.js validates responses with superstruct, whose errors are named StructError.
  return (
    error instanceof RangeError || error.name === "StructError" || PERMANENT_HTTP_STATUS_PATTERN.test(error.message)
  );
}

/** Sends the same signed bytes until they land or have provably expired. After `maxFollowMs`, the outcome is `unknown`. */
export async function followTransaction(
  chain: Pick<RecoverChain, "getEpochInfo" | "getSignatureStatuses" | "sendRawTransaction">,
  clock: Clock,
  bytes: Uint8Array,
  expiryBound: ExpiryBound,
  maxFollowMs = MAX_FOLLOW_MS,
): Promise<Exclude<SendResult, { state: "refused" }>> {
  // The byte before the first signature holds the number of signatures.
  const signature = bs58.encode(bytes.subarray(1, 65));
  const startedAt = clock.now();
  let sentAt = Number.NEGATIVE_INFINITY;
  let searchTransactionHistory = false;
  let firstProof: { readAtMs: number; head: ChainHead } | null = null;
  while (clock.now() - startedAt < maxFollowMs) {
    if (!firstProof && clock.now() - sentAt >= RESEND_MS) {
      sentAt = clock.now();
      // Ignore the response: the status polls below show whether the transaction arrived.
      await chain.sendRawTransaction(bytes, { skipPreflight: true, maxRetries: 0 }).catch(() => null);
    }
    await clock.sleep(POLL_MS);
    const [statuses, head] = await Promise.all([
      chain.getSignatureStatuses([signature], { searchTransactionHistory }).catch(() => null),
      readHead(chain).catch(() => null),
    ]);
    if (!statuses) continue;
    const status = statuses.value[0] ?? null;
    const result = toFinalResult(signature, status);
    if (result) return result;
    const { slot } = statuses.context;
    // One reading could come from a node that is about to show the transaction. Only two readings prove the expiry.
    const isPastBound =
      status === null && searchTransactionHistory && head !== null && isCertainlyPastBound(expiryBound, slot, head);
    if (
      isPastBound &&
      firstProof &&
      mayShareChain(firstProof.head, head) &&
      clock.now() - firstProof.readAtMs >= MIN_PROOF_INTERVAL_MS
    )
      return { state: "expired", signature };
    firstProof = isPastBound ? (firstProof ?? { readAtMs: clock.now(), head }) : null;
    searchTransactionHistory = mayBePastBound(expiryBound, slot);
  }
  return { state: "unknown", signature };
}

type Status = Awaited<ReturnType<RecoverChain["getSignatureStatuses"]>>["value"][number];

/** Returns null while the outcome is uncertain: the node does not know the signature, or has only processed it. */
function toFinalResult(signature: string, status: Status) {
  if (status?.confirmationStatus !== "confirmed" && status?.confirmationStatus !== "finalized") return null;
  const { err, slot } = status;
  if (err !== null) return { state: "failed" as const, signature, error: JSON.stringify(err), slot };
  return { state: "landed" as const, signature, slot };
}

/** Null when the node does not report the block height. */
async function readHead(chain: Pick<RecoverChain, "getEpochInfo">): Promise<ChainHead | null> {
  const { absoluteSlot, blockHeight } = await chain.getEpochInfo(COMMITMENT);
  return blockHeight === undefined ? null : { slot: absoluteSlot, height: blockHeight };
}
