import { z } from "zod";
import { type AppError, createUpstreamError } from "../../../errors";
import type { Clock } from "../../../ports/clock";
import type { SolanaRpc } from "../../../ports/solana-rpc";
import { toBase64 } from "../../../solana/bytes";
import {
  createResultReader,
  isAlreadyProcessed,
  type RpcAnswer,
  type RpcRequest,
  SMALL_ANSWER_BYTES,
  toTransactionError,
} from "../json-rpc";

interface SenderOptions {
  /**
   * Each target is sent every transaction. A repeated send uses the target's next node: a node may accept a
   * transaction and drop it.
   */
  targets: (readonly RpcRequest[])[];
  /** Sends per second to each target; null means no limit. */
  sendsPerSecond: number | null;
  clock: Clock;
}

/**
 * Returns a function that sends a transaction to every target without preflight. It resolves once one target has
 * accepted the transaction. @throws AppError of the first target when all targets have failed
 */
export function createTransactionSender({ targets, sendsPerSecond, clock }: SenderOptions): SolanaRpc["send"] {
  const queues = targets.map((nodeRequests) => {
    // Counted by object identity: a relay sends the same array again.
    const sendCounts = new WeakMap<Uint8Array, number>();
    const countSends = (transaction: Uint8Array) => sendCounts.get(transaction) ?? 0;
    const send = (transaction: Uint8Array) => {
      const sendCount = countSends(transaction);
      sendCounts.set(transaction, sendCount + 1);
      return sendTo(nodeRequests[sendCount % nodeRequests.length]!, transaction);
    };
    return sendsPerSecond === null ? send : createSendQueue(send, countSends, 1000 / sendsPerSecond, clock);
  });
  return async (transaction, lastValidBlockHeight = Number.POSITIVE_INFINITY, shouldSend = () => true) => {
    const sends = queues.map((send) => send(transaction, lastValidBlockHeight, shouldSend));
    await Promise.any(sends).catch(({ errors }: AggregateError) => {
      throw errors[0];
    });
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

interface QueuedSend {
  transaction: Uint8Array;
  lastValidBlockHeight: number;
  shouldSend(): boolean;
  completion: Promise<void>;
  start(): void;
  reject(error: AppError): void;
}

/**
 * Limits sends to one every `gapMs`. Transactions sent less often go first, then those that expire first. A
 * transaction that is queued already is not queued twice. It leaves the queue when `shouldSend` returns false,
 * because an expired transaction would be sent before all others.
 */
function createSendQueue(
  send: (transaction: Uint8Array) => Promise<void>,
  countSends: (transaction: Uint8Array) => number,
  gapMs: number,
  clock: Clock,
) {
  const queuedSends = new Map<Uint8Array, QueuedSend>();
  let nextSendAt = 0;
  let isDraining = false;

  const drainQueue = async () => {
    isDraining = true;
    while (queuedSends.size > 0) {
      if (nextSendAt > clock.now()) await clock.sleep(nextSendAt - clock.now());
      for (const queuedSend of queuedSends.values()) {
        if (queuedSend.shouldSend()) continue;
        queuedSends.delete(queuedSend.transaction);
        queuedSend.reject(
          createUpstreamError("upstream_unavailable", "send", "dropped a transaction that was no longer wanted"),
        );
      }
      const [nextSend] = [...queuedSends.values()].sort(
        (a, b) =>
          countSends(a.transaction) - countSends(b.transaction) || a.lastValidBlockHeight - b.lastValidBlockHeight,
      );
      if (!nextSend) break;
      queuedSends.delete(nextSend.transaction);
      nextSendAt = clock.now() + gapMs;
      nextSend.start();
    }
    isDraining = false;
  };

  return (transaction: Uint8Array, lastValidBlockHeight: number, shouldSend: () => boolean): Promise<void> => {
    const queuedSend = queuedSends.get(transaction);
    if (queuedSend) return queuedSend.completion;
    let [start, reject] = [() => {}, (_error: AppError) => {}];
    const completion = new Promise<void>((resolve, rejectCompletion) => {
      [start, reject] = [resolve, rejectCompletion];
    }).then(() => send(transaction));
    queuedSends.set(transaction, { transaction, lastValidBlockHeight, shouldSend, completion, start, reject });
    if (!isDraining) void drainQueue();
    return completion;
  };
}
