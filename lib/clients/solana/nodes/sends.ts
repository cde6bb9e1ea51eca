import { z } from "zod";
import { AppError, UpstreamFault } from "../../../errors";
import type { Clock } from "../../../ports/clock";
import type { SolanaRpc } from "../../../ports/solana-rpc";
import { toBase64 } from "../../../solana/bytes";
import { type Ask, isAlreadyProcessed, type RpcAnswer, resultOf, transactionFailure } from "../json-rpc";

export interface SendsOptions {
  /** Each is sent every transaction, each further time through the next of its asks: a node may say that it took one, and drop it. */
  targets: (readonly Ask[])[];
  /** To each target; null: no limit. */
  perSecond: number | null;
  clock: Clock;
}

const MAX_BYTES = 65_536;

/** Sends without preflight, to every target. @returns once one of them has taken it @throws AppError when none has */
export function createSends({ targets, perSecond, clock }: SendsOptions): SolanaRpc["send"] {
  const queues = targets.map((asks) => {
    // By identity: a relay sends the same bytes again.
    const times = new WeakMap<Uint8Array, number>();
    const timesSent = (transaction: Uint8Array) => times.get(transaction) ?? 0;
    const send = (transaction: Uint8Array) => {
      const time = timesSent(transaction);
      times.set(transaction, time + 1);
      return sendTo(asks[time % asks.length]!, transaction);
    };
    return perSecond === null ? send : takeTurns(send, timesSent, 1000 / perSecond, clock);
  });
  return async (transaction, lastValidBlockHeight = Number.POSITIVE_INFINITY, isWanted = () => true) => {
    const sent = queues.map((send) => send(transaction, lastValidBlockHeight, isWanted));
    await Promise.any(sent).catch(({ errors }: AggregateError) => {
      throw errors[0];
    });
  };
}

const takenOrRefused = resultOf("sendTransaction", z.string(), transactionFailure);

async function sendTo(ask: Ask, transaction: Uint8Array): Promise<void> {
  const params = [toBase64(transaction), { encoding: "base64", skipPreflight: true, maxRetries: 0 }];
  const read = (answer: RpcAnswer) => {
    if (!answer.error || !isAlreadyProcessed(answer.error)) takenOrRefused(answer);
  };
  await ask("sendTransaction", params, { maxBytes: MAX_BYTES, read });
}

interface QueuedSend {
  transaction: Uint8Array;
  lastValidBlockHeight: number;
  isWanted(): boolean;
  done: Promise<void>;
  go(): void;
  drop(error: AppError): void;
}

/**
 * One send every `gapMs`: what was sent less often goes before what was sent already, and of those what expires first.
 * A transaction that waits already waits once, and not longer than it is wanted: one that has expired would go before all others.
 */
function takeTurns(
  send: (transaction: Uint8Array) => Promise<void>,
  timesSent: (transaction: Uint8Array) => number,
  gapMs: number,
  clock: Clock,
) {
  const waiting = new Map<Uint8Array, QueuedSend>();
  let freeAt = 0;
  let draining = false;

  const drain = async () => {
    draining = true;
    while (waiting.size > 0) {
      if (freeAt > clock.now()) await clock.sleep(freeAt - clock.now());
      for (const one of waiting.values()) {
        if (one.isWanted()) continue;
        waiting.delete(one.transaction);
        one.drop(new AppError("upstream_unavailable", { cause: new UpstreamFault("send", "came too late") }));
      }
      const [next] = [...waiting.values()].sort(
        (a, b) =>
          timesSent(a.transaction) - timesSent(b.transaction) || a.lastValidBlockHeight - b.lastValidBlockHeight,
      );
      if (!next) break;
      waiting.delete(next.transaction);
      freeAt = clock.now() + gapMs;
      next.go();
    }
    draining = false;
  };

  return (transaction: Uint8Array, lastValidBlockHeight: number, isWanted: () => boolean): Promise<void> => {
    const known = waiting.get(transaction);
    if (known) return known.done;
    let [go, drop] = [() => {}, (_error: AppError) => {}];
    const done = new Promise<void>((resolve, reject) => {
      [go, drop] = [resolve, reject];
    }).then(() => send(transaction));
    waiting.set(transaction, { transaction, lastValidBlockHeight, isWanted, done, go, drop });
    if (!draining) void drain();
    return done;
  };
}
