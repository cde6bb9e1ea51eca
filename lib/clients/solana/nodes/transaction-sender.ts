import { z } from "zod";
import type { Clock } from "../../../ports/clock";
import type { SolanaRpc } from "../../../ports/solana-rpc";
import { toBase64 } from "../../../solana/bytes";
import { createBucket, NO_LIMIT } from "../../quota/bucket";
import type { QuotaPort, QuotaUser } from "../../quota/quota-port";
import {
  createResultReader,
  isAlreadyProcessed,
  type RpcAnswer,
  type RpcRequest,
  SMALL_ANSWER_BYTES,
  toTransactionError,
} from "../json-rpc";

interface SenderOptions {
  /** Each is sent every transaction. A repeated send uses its next node, because a node may drop what it accepted. */
  targets: (readonly RpcRequest[])[];
  sendsPerSecond: number | null;
  clock: Clock;
}

type SolanaSender = Pick<QuotaPort<SolanaRpc>, "send" | "estimateSendMs">;

/** Sends to every target without preflight. Resolves once one has accepted; fails with the first target's error. */
export function createTransactionSender({ targets, sendsPerSecond, clock }: SenderOptions): SolanaSender {
  const senders = targets.map((nodeRequests) => {
    // Counted by object identity: a relay sends the same array again.
    const sendCounts = new WeakMap<Uint8Array, number>();
    const countSends = (transaction: Uint8Array) => sendCounts.get(transaction) ?? 0;
    const send = (transaction: Uint8Array) => {
      const sendCount = countSends(transaction);
      sendCounts.set(transaction, sendCount + 1);
      return sendTo(nodeRequests[sendCount % nodeRequests.length]!, transaction);
    };
    return limitSends(send, countSends, sendsPerSecond, clock);
  });
  return {
    async send(quotaUser, transaction, lastValidBlockHeight = MAX_HEIGHT, shouldSend = () => true) {
      const sends = senders.map(({ send }) => send(quotaUser, transaction, lastValidBlockHeight, shouldSend));
      await Promise.any(sends).catch(({ errors }: AggregateError) => {
        throw errors[0];
      });
    },
    estimateSendMs: (quotaUser, lastValidBlockHeight) =>
      Math.min(...senders.map(({ estimateMs }) => estimateMs(quotaUser, toRank(0, lastValidBlockHeight)))),
  };
}

const readSendResult = createResultReader("sendTransaction", z.string(), toTransactionError);

async function sendTo(ask: RpcRequest, transaction: Uint8Array): Promise<void> {
  const params = [toBase64(transaction), { encoding: "base64", skipPreflight: true, maxRetries: 0 }];
  const read = (answer: RpcAnswer) => {
    if (!answer.error || !isAlreadyProcessed(answer.error)) readSendResult(answer);
  };
  await ask("sendTransaction", params, { maxBytes: SMALL_ANSWER_BYTES, read });
}

const MAX_HEIGHT = 2 ** 40;
/** Orders the sends of one caller: transactions sent less often go first, then those that expire first. */
const toRank = (sendCount: number, lastValidBlockHeight: number) =>
  sendCount * MAX_HEIGHT + Math.min(lastValidBlockHeight, MAX_HEIGHT - 1);

/** A transaction that waits already does not wait twice. It leaves the queue when `shouldSend` returns false. */
function limitSends(
  send: (transaction: Uint8Array) => Promise<void>,
  countSends: (transaction: Uint8Array) => number,
  sendsPerSecond: number | null,
  clock: Clock,
) {
  const bucket =
    sendsPerSecond === null
      ? NO_LIMIT
      : createBucket({ upstream: "send", gapMs: 1_000 / sendsPerSecond, burst: 1, clock });
  const queuedSends = new Map<Uint8Array, Promise<void>>();
  return {
    send(quotaUser: QuotaUser, transaction: Uint8Array, lastValidBlockHeight: number, shouldSend: () => boolean) {
      const queuedSend = queuedSends.get(transaction);
      if (queuedSend) return queuedSend;
      const rank = toRank(countSends(transaction), lastValidBlockHeight);
      const turn = Promise.resolve(bucket.take(quotaUser, { rank, isWanted: shouldSend }));
      const completion = turn.finally(() => queuedSends.delete(transaction)).then(() => send(transaction));
      queuedSends.set(transaction, completion);
      return completion;
    },
    estimateMs: bucket.estimateWaitMs,
  };
}
