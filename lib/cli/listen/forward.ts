import { Webhook } from "standardwebhooks";
import { computeBackoffMs, type RoundupEvent } from "../../sdk/events";
import type { Io } from "../io";

/** A program that has not answered after this time has not accepted the event. */
const TIMEOUT_MS = 15_000;

/** The program to which events are posted, and the callbacks that keep the outcome. */
interface ForwardOptions {
  url: string;
  /** The signing secret of Standard Webhooks, `whsec_…`. */
  secret: string;
  /** Stores the sequence of an event that the program has accepted. */
  storeSequence(sequence: number): void | Promise<void>;
  log(event: ListenEvent): void;
}

/** A log event: a name for programs, and a text for the user. */
export interface ListenEvent {
  event: "secret" | "started" | "forwarded" | "trouble" | "ended";
  text: string;
  secret?: string;
  sequence?: number;
  type?: string;
  txSignature?: string;
}

/**
 * Posts the events to a program in the form of Standard Webhooks, one after the other. It repeats each event until the
 * program accepts it, and only then stores its sequence. The program thus gets every event at least once, in order.
 * @throws the error of `events`, or the reason of `stopSignal`
 */
export async function forwardEvents(
  events: AsyncIterable<RoundupEvent>,
  options: ForwardOptions,
  io: Io,
): Promise<void> {
  const { url, storeSequence, log } = options;
  for await (const event of events) {
    const { type, sequence, txSignature } = event;
    for (let failureCount = 1; ; failureCount++) {
      const refusal = await postEvent(event, options, io);
      io.stopSignal.throwIfAborted();
      if (refusal === null) break;
      log({ event: "trouble", text: `event ${sequence} is posted again, because ${url} ${refusal}`, sequence });
      await io.pause(computeBackoffMs(failureCount));
    }
    await storeSequence(sequence);
    log({ event: "forwarded", text: `event ${sequence}: ${type} ${txSignature}`, sequence, type, txSignature });
  }
}

/** Posts an event once. Returns null if the program accepted the event, and otherwise what the program did instead. */
async function postEvent(event: RoundupEvent, { url, secret }: ForwardOptions, { fetch, clock, stopSignal }: Io) {
  // Each transaction has one event, so its signature lets the program recognize a repeated request.
  const id = `evt_${event.txSignature}`;
  const sentAt = new Date(clock.now());
  const body = JSON.stringify({ type: event.type, timestamp: event.time, data: event });
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": `${Math.floor(sentAt.getTime() / 1000)}`,
    "webhook-signature": new Webhook(secret).sign(id, sentAt, body),
  };
  const signal = AbortSignal.any([stopSignal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
    await response.body?.cancel();
    return response.ok ? null : `answered ${response.status}`;
  } catch {
    return "did not answer";
  }
}
