import { z } from "zod";
import { AppError, KeyRefused, UpstreamFault } from "../../../errors";
import type { Clock } from "../../../ports/clock";
import type { Random } from "../../../ports/random";
import { type Breaker, createBreaker } from "../../http/breaker";
import { parseAnswer, refusal } from "../../http/fetch-json";
import { AnswerTooLong, type sendRequest } from "../../http/send-request";
import { type AskOptions, Envelope, isBusy, JSON_HEADERS, type RpcAnswer, resultOf, rpcBody } from "../json-rpc";
import { createHealth, type Fault, type Health, type NodeState } from "./health";
import type { NewestSlot } from "./newest-slot";

export interface NodeOptions {
  /** May carry a key in its path or query; it is never logged. */
  url: string;
  /** What the log calls it. */
  name: string;
  /** Of the network it must be of; null: it need not say. */
  genesisHash: string | null;
  /** Some take transactions and know no other method: these are taken at their owner's word. */
  sendsOnly: boolean;
  newest: NewestSlot;
  /** Whether there are others it can be compared with. */
  hasPeers: boolean;
  clock: Clock;
  random: Random;
  /** Takes the place of the network in tests. */
  transport: typeof sendRequest;
  notice: (text: string) => void;
}

/** What asking a node came to. `mayPass`: another node may do better. */
type Attempt<T> = { value: T } | { error: AppError; mayPass: boolean };

type NodeNetwork = "unknown" | "right" | "wrong";

export interface Node {
  ask<T>(method: string, body: string, options: AskOptions<T> & { timeoutMs: number }): Promise<Attempt<T>>;
  /** Whether it is asked before those that are not. */
  isUp(method: string): boolean;
  /** Whether it may be asked when none is up. */
  mayBeAsked(): boolean;
  /** Whether it is not up, and has been left alone for as long as it should. */
  isRested(): boolean;
  /** Ms it has asked to be left alone for. */
  mustWaitMs(): number;
  /** Asks it for its slot, which tells how it does. */
  probe(): Promise<void>;
  /** Whether to ask for it: it has rested, or nobody has asked it anything for `idleMs`. */
  isDue(idleMs: number): boolean;
  /** Whether it is of the right network, asked once. */
  checkNetwork(): Promise<NodeNetwork>;
  state(): NodeState | "unchecked" | "wrong network";
  lastFault(): Fault | null;
  answeredAt(): number | null;
  /** Newest in its own answers; null before the first. */
  slot(): number | null;
}

/** A node is left alone no longer than this at its own word: it may be the only one, or all may say so, and nothing would be answered. */
const MAX_WAIT_SECONDS = 30;
const SMALL_BYTES = 65_536;
/** For questions of our own, ms. */
const PROBE_TIMEOUT_MS = 3_000;
const PROBE_PAUSE_MS = 10_000;
/** A node that has just said its network is not asked for it again: it may be the others that are behind. */
const NETWORK_KEPT_MS = 60_000;
const SLOT_PARAMS = [{ commitment: "confirmed" }];

type Bounds = { timeoutMs: number; maxBytes: number };

/** One POST. @throws AppError upstream_*, noted in the node's health */
function poster({ url, name, clock, transport }: NodeOptions, health: Health) {
  const target = new URL(url);
  return async (method: string, body: string, bounds: Bounds): Promise<RpcAnswer> => {
    const request = { method: "POST" as const, headers: JSON_HEADERS, body, upstream: name, lane: method, ...bounds };
    const answer = await transport(target, request).catch((error: AppError) => {
      const isSize = error.details?.cause instanceof AnswerTooLong;
      if (!isSize) health.failed(error.code === "upstream_timeout" ? "timeout" : "unavailable");
      throw error;
    });
    if (answer.status < 200 || answer.status > 299) {
      const error = refusal(name, answer.status, answer.headers, clock, MAX_WAIT_SECONDS);
      const fault = error.details.cause instanceof KeyRefused ? "key_refused" : "unavailable";
      health.failed(answer.status === 429 ? "busy" : fault, error.details.retryAfterSeconds);
      throw error;
    }
    try {
      return parseAnswer(answer.text, Envelope, name);
    } catch (error) {
      health.failed("invalid");
      throw error;
    }
  };
}

/** Which network a node is of: asked once, and again where that comes into doubt, as its address may come to stand for another. */
function networkOf({ name, genesisHash, sendsOnly, clock, notice }: NodeOptions, post: ReturnType<typeof poster>) {
  let network: NodeNetwork = genesisHash === null ? "right" : "unknown";
  let saidAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<NodeNetwork> | null = null;
  const ask = async (): Promise<NodeNetwork> => {
    const bounds = { maxBytes: SMALL_BYTES, timeoutMs: PROBE_TIMEOUT_MS };
    const said = await post("getGenesisHash", rpcBody("getGenesisHash", []), bounds).catch(() => null);
    if (typeof said?.result === "string") network = said.result === genesisHash ? "right" : "wrong";
    else if (said && sendsOnly) network = "right";
    if (network !== "unknown") saidAt = clock.now();
    if (network === "wrong") notice(`${name} is of another network.`);
    return network;
  };
  return {
    is: () => network,
    check(): Promise<NodeNetwork> {
      if (network !== "unknown") return Promise.resolve(network);
      checking ??= ask().finally(() => {
        checking = null;
      });
      return checking;
    },
    /** To be asked before its next use, unless it has just said. @returns whether it is */
    doubt(): boolean {
      if (genesisHash === null || clock.now() - saidAt <= NETWORK_KEPT_MS) return false;
      network = "unknown";
      return true;
    },
  };
}

/** Where a node stands, by its own answers. */
function viewOf(
  { name, newest, hasPeers }: NodeOptions,
  health: Health,
  network: Pick<ReturnType<typeof networkOf>, "doubt">,
) {
  let suspect = false;
  let slot: number | null = null;
  return {
    slot: () => slot,
    /** Until it shows a slot of now: one that was down comes back behind, and perhaps before any other that knows by how much. */
    suspect(): void {
      suspect = true;
    },
    /** @throws AppError; what it says of the node has been noted */
    judge<T>(method: string, answer: RpcAnswer, read: (answer: RpcAnswer) => T): T {
      const shown = slotIn(method, answer.result);
      if (shown !== null) {
        slot = shown;
        // Slots of other networks are millions away.
        if (newest.isLeap(shown) && network.doubt()) throw unavailable(name, "is where time allows no chain to be", 1);
        suspect = newest.lags(shown, hasPeers && suspect);
        if (suspect) {
          health.failed("lagging");
          throw unavailable(name, "lags");
        }
      }
      const value = read(answer);
      health.answered(shown !== null);
      return value;
    },
  };
}

/** One node: asked with a breaker for each method, and judged by each answer. */
export function createNode(options: NodeOptions): Node {
  const { name, clock } = options;
  const health = createHealth(options, (state) => {
    if (state !== "up") view.suspect();
    options.notice(`${name} is ${state}.`);
  });
  const post = poster(options, health);
  const breakers = new Map<string, Breaker>();
  const breakerOf = (method: string) => {
    const breaker = breakers.get(method) ?? createBreaker(name, clock);
    breakers.set(method, breaker);
    return breaker;
  };
  const network = networkOf(options, post);
  const view = viewOf(options, health, network);
  let probedAt = clock.now();

  const node: Node = {
    async ask(method, body, { timeoutMs, maxBytes, read }) {
      if (network.is() !== "right" && (await node.checkNetwork()) !== "right")
        return { error: unavailable(name, `of network ${network.is()}`, 1), mayPass: true };
      let answer: RpcAnswer | undefined;
      try {
        const value = await breakerOf(method).run(async () => {
          answer = await post(method, body, { timeoutMs, maxBytes });
          return view.judge(method, answer, read);
        });
        return { value };
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        if (answer && error.code === "upstream_unavailable" && isBusy(answer)) health.failed("busy");
        return { error, mayPass: mayPass(answer, error) };
      }
    },
    isUp: (method) => network.is() === "right" && health.isUp() && !breakers.get(method)?.isOpen(),
    mayBeAsked: () => network.is() !== "wrong" && health.mustWaitMs() === 0,
    // One that has not said its network yet is asked for it first.
    isRested: () => network.is() === "unknown" || (network.is() === "right" && health.isRested()),
    mustWaitMs: health.mustWaitMs,
    isDue(idleMs) {
      const now = clock.now();
      const state = health.state();
      if (network.is() === "wrong" || now - probedAt < PROBE_TIMEOUT_MS) return false;
      if (network.is() === "unknown") return now - probedAt >= PROBE_PAUSE_MS;
      if (state === "up") return now - Math.max(probedAt, health.answeredAt() ?? 0) >= idleMs;
      return state !== "busy" && health.isRested();
    },
    async probe() {
      if (network.is() === "wrong") return;
      probedAt = clock.now();
      const read = resultOf("getSlot", z.number().int().nonnegative());
      const body = rpcBody("getSlot", SLOT_PARAMS);
      await node.ask("getSlot", body, { maxBytes: SMALL_BYTES, timeoutMs: PROBE_TIMEOUT_MS, read });
    },
    checkNetwork() {
      if (network.is() === "unknown") probedAt = clock.now();
      return network.check();
    },
    state: () => (network.is() === "right" ? health.state() : network.is() === "wrong" ? "wrong network" : "unchecked"),
    lastFault: health.lastFault,
    answeredAt: health.answeredAt,
    slot: view.slot,
  };
  return node;
}

/** The slot of the view that an answer is from, where it shows one. */
function slotIn(method: string, result: unknown): number | null {
  if (typeof result === "number") return method === "getSlot" ? result : null;
  const { context, absoluteSlot } = (result ?? {}) as { context?: { slot?: unknown }; absoluteSlot?: unknown };
  const slot = context?.slot ?? absoluteSlot;
  return typeof slot === "number" ? slot : null;
}

/** What the data or the request is to blame for is the same everywhere. */
function mayPass(answer: RpcAnswer | undefined, { code, details }: AppError): boolean {
  if (code === "upstream_unavailable" || code === "upstream_timeout") return true;
  if (details.cause instanceof AnswerTooLong) return false;
  // Of an error that is not the request's nobody knows what it means: one of a wrong key, say, that came with status 200.
  if (code === "upstream_invalid") return answer?.error?.code !== INVALID_PARAMS;
  // It may be behind, and not have seen what the transaction rests on.
  return code === "simulation_failed";
}

const INVALID_PARAMS = -32602;

const unavailable = (name: string, what: string, retryAfterSeconds?: number) =>
  new AppError("upstream_unavailable", {
    cause: new UpstreamFault(name, what),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
