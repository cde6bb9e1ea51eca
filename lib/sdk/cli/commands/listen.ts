import { createHash, randomBytes } from "node:crypto";
import { Option } from "commander";
import { createCalls } from "../../calls/calls";
import { type EventsRequest, followEvents, readFeedName } from "../../events";
import type { CommandPart, Io } from "../io";
import { forwardEvents, type ListenEvent } from "../listen/forward";
import { formatLogLine } from "../output/text";
import { EXIT } from "../run-payment";
import { type GlobalOptions, openService, openSession } from "../state/session";
import { UsageError } from "../usage-error";

const HELP = `
Each request has the form of Standard Webhooks (standardwebhooks.com). Its webhook-id stays the same when it is repeated. An event that
the program does not accept with a 2xx status within 15 s is repeated until it does, and the events after it wait.
With an API key in ROUNDUP_API_KEY, no key file is needed. A static key gets the events of all transactions that it submitted.`;

interface ListenOptions extends GlobalOptions {
  forwardTo: string;
  newSecret?: boolean;
}

/** Adds `listen`, which posts events to a program of the user until the user stops it. */
export function addListen({ program, io, setAction }: CommandPart): void {
  const command = program
    .command("listen")
    .description("post each event of your transactions to a program of yours, in order and at least once")
    .addOption(new Option("--forward-to <url>", "the address of your program").makeOptionMandatory())
    .option("--new-secret", "make a new signing secret and print it")
    .addHelpText("after", HELP);
  setAction(command, async () => listen(command.optsWithGlobals(), io));
}

/** What the state folder keeps of one feed and one program. */
interface StoredPosition {
  secret: string;
  /** The sequence of the last event that the program accepted. */
  after: number;
}

async function listen(options: ListenOptions, io: Io): Promise<number> {
  const url = parseAddress(options.forwardTo);
  const log = (event: ListenEvent) => io.print(formatLogLine(event, io.clock.now(), options.json === true));
  const onRetry = ({ message }: Error) => log({ event: "trouble", text: message });
  const request = { signal: io.ending, onRetry };
  const { readFeed, olderFeed, follow, storage, lock } = openFeed(options, io);
  const toStorageName = (feed: string) => `roundup-listen:${computeDigest(`${feed} ${url}`)}`;
  const forward = async (name: string) => {
    const text = (await storage.get(name)) ?? (await storage.get(toStorageName(olderFeed)));
    let stored: StoredPosition = JSON.parse(text ?? '{"secret":"","after":0}');
    const store = (changes: Partial<StoredPosition>) => {
      stored = { ...stored, ...changes };
      return storage.set(name, JSON.stringify(stored));
    };
    const isNew = stored.secret === "" || options.newSecret;
    const secret = isNew ? `whsec_${randomBytes(24).toString("base64")}` : stored.secret;
    if (isNew) log({ event: "secret", text: `signing secret, shown only now: ${secret}`, secret });
    await store({ secret });
    log({ event: "started", text: `forwarding the events after ${stored.after} to ${url}` });
    const events = follow({ ...request, after: stored.after });
    await forwardEvents(events, { url, secret, store: (after) => store({ after }), log }, io);
  };
  try {
    const name = toStorageName(await readFeed(request));
    const isFree = await lock(name, () => forward(name));
    if (!isFree) throw new Error(`Another roundup listen forwards these events to ${url}.`);
  } catch (error) {
    if (!io.ending.aborted) throw error;
  }
  log({ event: "ended", text: "ended" });
  return EXIT.done;
}

/**
 * Opens the feed of the API key in the environment, or else of the wallet. `readFeed` returns the name of the feed.
 * `olderFeed` is the name under which an earlier release stored its state: it contained a digest of the key.
 */
function openFeed(options: ListenOptions, io: Io) {
  const apiKey = io.env.ROUNDUP_API_KEY;
  if (!apiKey) {
    const { roundup, wallet, ...state } = openSession(options, io, { retries: 0, maxWaitMs: 0, onLimit: () => {} });
    const follow = (request: EventsRequest) => roundup.events(request);
    return { ...state, olderFeed: wallet, readFeed: async () => wallet, follow };
  }
  const { baseUrl, ...state } = openService(options, io);
  const { fetch, clock } = io;
  const calls = createCalls({ baseUrl, fetch, clock, credentials: () => ({ "x-api-key": apiKey }) });
  const olderFeed = computeDigest(apiKey);
  const readFeed = async (request: EventsRequest) => (await readFeedName(calls, request, clock)) ?? olderFeed;
  return { ...state, olderFeed, readFeed, follow: (request: EventsRequest) => followEvents(calls, request, clock) };
}

const computeDigest = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 32);

function parseAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw new UsageError("--forward-to is one like http://localhost:4000/events.");
  return url.href;
}
