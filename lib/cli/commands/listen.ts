import { createHash, randomBytes } from "node:crypto";
import { Option } from "commander";
import { Webhook } from "standardwebhooks";
import { createCalls } from "../../sdk/calls/calls";
import { computeBackoffMs, type EventsRequest, followEvents, type RoundupEvent, readFeedName } from "../../sdk/events";
import type { CommandContext, Io } from "../io";
import { formatLogLine } from "../output/text";
import { EXIT_CODES } from "../run-payment";
import { type GlobalOptions, openService, openSession } from "../state/session";
import { UsageError } from "../usage-error";

const HELP_TEXT = `
Each request has the form of Standard Webhooks (standardwebhooks.com). Its webhook-id stays the same when it is repeated. An event that
the program does not accept with a 2xx status within 15 s is repeated until it does, and the events after it wait.
With an API key in ROUNDUP_API_KEY, no key file is needed. A static key gets the events of all transactions that it submitted.`;

interface ListenOptions extends GlobalOptions {
  forwardTo: string;
  newSecret?: boolean;
}

export function addListenCommand({ program, io, setAction }: CommandContext): void {
  const command = program
    .command("listen")
    .description("post each event of your transactions to a program of yours, in order and at least once")
    .addOption(new Option("--forward-to <url>", "the address of your program").makeOptionMandatory())
    .option("--new-secret", "make a new signing secret and print it")
    .addHelpText("after", HELP_TEXT);
  setAction(command, async () => listenToEvents(command.optsWithGlobals(), io));
}

interface StoredPosition {
  /** As in `ForwardOptions`; empty before the first start. */
  secret: string;
  /** The sequence of the last event that the program accepted; 0 before the first. */
  after: number;
}

async function listenToEvents(options: ListenOptions, io: Io): Promise<number> {
  const url = parseProgramUrl(options.forwardTo);
  const logEvent = (event: ListenEvent) => io.print(formatLogLine(event, io.clock.now(), options.json === true));
  const onRetry = ({ message }: Error) => logEvent({ event: "trouble", text: message });
  const feedRequest = { signal: io.stopSignal, onRetry };
  const { resolveFeedName, followFeed, storage, lock } = openFeed(options, io);
  const forwardFeed = async (positionKey: string) => {
    let position: StoredPosition = JSON.parse((await storage.get(positionKey)) ?? '{"secret":"","after":0}');
    const storePosition = (changes: Partial<StoredPosition>) => {
      position = { ...position, ...changes };
      return storage.set(positionKey, JSON.stringify(position));
    };
    const isNewSecret = position.secret === "" || options.newSecret;
    const secret = isNewSecret ? `whsec_${randomBytes(24).toString("base64")}` : position.secret;
    if (isNewSecret) logEvent({ event: "secret", text: `signing secret, shown only now: ${secret}`, secret });
    await storePosition({ secret });
    logEvent({ event: "started", text: `forwarding the events after ${position.after} to ${url}` });
    const events = followFeed({ ...feedRequest, after: position.after });
    await forwardEvents(events, { url, secret, storeSequence: (after) => storePosition({ after }), log: logEvent }, io);
  };
  try {
    const feedAndProgram = `${await resolveFeedName(feedRequest)} ${url}`;
    const positionKey = `roundup-listen:${createHash("sha256").update(feedAndProgram).digest("hex").slice(0, 32)}`;
    const hasRun = await lock(positionKey, () => forwardFeed(positionKey));
    if (!hasRun) throw new Error(`Another roundup listen forwards these events to ${url}.`);
  } catch (error) {
    if (!io.stopSignal.aborted) throw error;
  }
  logEvent({ event: "ended", text: "ended" });
  return EXIT_CODES.done;
}

/** Opens the feed of the API key in the environment, or else of the wallet. */
function openFeed(options: ListenOptions, io: Io) {
  const apiKey = io.env.ROUNDUP_API_KEY;
  if (!apiKey) {
    // `followEvents` retries failed and rate-limited calls itself.
    const { roundup, wallet, ...state } = openSession(options, io, { retries: 0, maxWaitMs: 0, onLimit: () => {} });
    const followFeed = (request: EventsRequest) => roundup.events(request);
    return { ...state, resolveFeedName: async () => wallet, followFeed };
  }
  const { baseUrl, ...state } = openService(options, io);
  const { fetch, clock } = io;
  const calls = createCalls({ baseUrl, fetch, clock, credentials: () => ({ "x-api-key": apiKey }) });
  return {
    ...state,
    resolveFeedName: (request: EventsRequest) => readFeedName(calls, request, clock),
    followFeed: (request: EventsRequest) => followEvents(calls, request, clock),
  };
}

/** Parses an address. @throws {UsageError} unless it is an HTTP address without a user name or password */
function parseProgramUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw new UsageError("--forward-to is one like http://localhost:4000/events.");
  return url.href;
}

/** A program that has not answered after this time has not accepted the event. */
const TIMEOUT_MS = 15_000;

interface ForwardOptions {
  url: string;
  /** The signing secret of Standard Webhooks, `whsec_…`. */
  secret: string;
  /** Stores the sequence of an event that the program has accepted. */
  storeSequence(sequence: number): void | Promise<void>;
  log(event: ListenEvent): void;
}

interface ListenEvent {
  event: "secret" | "started" | "forwarded" | "trouble" | "ended";
  text: string;
  secret?: string;
  sequence?: number;
  type?: string;
  txSignature?: string;
}

/**
 * Posts the events one after the other. It repeats each event until the program accepts it, and only then stores its
 * sequence. Throws the error of `events`, or the reason of `stopSignal`.
 */
async function forwardEvents(events: AsyncIterable<RoundupEvent>, options: ForwardOptions, io: Io): Promise<void> {
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
