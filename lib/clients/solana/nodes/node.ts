import { z } from "zod";
import { AppError, KeyRefusedFault, UpstreamFault } from "../../../errors";
import type { Clock } from "../../../ports/clock";
import type { Random } from "../../../ports/random";
import { COMMITMENT } from "../../../solana/commitment";
import { memoize } from "../../../solana/memoize";
import { createBreaker } from "../../http/breaker";
import { createRefusalError, parseAnswer } from "../../http/fetch-json";
import { AnswerTooLongError, type sendRequest } from "../../http/send-request";
import {
  createResultReader,
  encodeRpcBody,
  isNodeBusy,
  JSON_HEADERS,
  type RpcAnswer,
  RpcAnswerSchema,
  type RpcRequestOptions,
  SMALL_ANSWER_BYTES,
} from "../json-rpc";
import { createHealth, type Health, type NodeState } from "./health";
import type { NewestSlot } from "./newest-slot";

export interface NodeOptions {
  /** May carry a key in its path or query; it is never logged. */
  url: string;
  name: string;
  /** The genesis hash that the node must report; null: the node is not asked for it. */
  genesisHash: string | null;
  /** Whether the node only takes transactions. Some of these know no other method, so their network is trusted. */
  isSendOnly: boolean;
  newestSlot: NewestSlot;
  /** Whether there are other nodes to compare its slots with. */
  hasPeers: boolean;
  clock: Clock;
  random: Random;
  transport: typeof sendRequest;
  notify: (text: string) => void;
}

type Attempt<T> = { value: T } | { error: AppError; mayTryNextNode: boolean };

type NodeNetwork = "unknown" | "right" | "wrong";

export type Node = ReturnType<typeof createNode>;

/** The longest Retry-After that is honoured. A longer one could leave the service without any node. */
const MAX_RETRY_AFTER_SECONDS = 30;
const PROBE_TIMEOUT_MS = 3_000;
/** The pause between two probes of a node whose network is unknown, ms. */
const NETWORK_CHECK_PAUSE_MS = 10_000;
/** How long a network check stays valid, ms. An implausible slot may only mean that the other nodes lag. */
const NETWORK_CHECK_TTL_MS = 60_000;
const SLOT_PARAMS = [{ commitment: COMMITMENT }];

/** Returns a function that makes one POST and records failures in the node's health. It throws AppError upstream_*. */
function createPoster({ url, name, clock, transport }: NodeOptions, health: Health) {
  const targetUrl = new URL(url);
  return async (method: string, body: string, limits: { timeoutMs: number; maxBytes: number }): Promise<RpcAnswer> => {
    const request = { method: "POST" as const, headers: JSON_HEADERS, body, upstream: name, lane: method, ...limits };
    const answer = await transport(targetUrl, request).catch((error: AppError) => {
      const isTooLong = error.details?.cause instanceof AnswerTooLongError;
      if (!isTooLong) health.recordFailure(error.code === "upstream_timeout" ? "timeout" : "unavailable");
      throw error;
    });
    if (answer.status < 200 || answer.status > 299) {
      const error = createRefusalError(name, answer.status, answer.headers, clock, MAX_RETRY_AFTER_SECONDS);
      const fault = error.details.cause instanceof KeyRefusedFault ? "key_refused" : "unavailable";
      health.recordFailure(answer.status === 429 ? "busy" : fault, error.details.retryAfterSeconds);
      throw error;
    }
    try {
      return parseAnswer(answer.text, RpcAnswerSchema, name);
    } catch (error) {
      health.recordFailure("invalid");
      throw error;
    }
  };
}

/** The check is repeated when an implausible slot casts doubt on it: a URL may come to point to another network. */
function createNetworkCheck(
  { name, genesisHash, isSendOnly, clock, notify }: NodeOptions,
  post: ReturnType<typeof createPoster>,
) {
  let network: NodeNetwork = genesisHash === null ? "right" : "unknown";
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checkInFlight: Promise<NodeNetwork> | null = null;
  const askNetwork = async (): Promise<NodeNetwork> => {
    const limits = { maxBytes: SMALL_ANSWER_BYTES, timeoutMs: PROBE_TIMEOUT_MS };
    const answer = await post("getGenesisHash", encodeRpcBody("getGenesisHash", []), limits).catch(() => null);
    if (typeof answer?.result === "string") network = answer.result === genesisHash ? "right" : "wrong";
    else if (answer && isSendOnly) network = "right";
    if (network !== "unknown") checkedAt = clock.now();
    if (network === "wrong") notify(`${name} is on the wrong network.`);
    return network;
  };
  return {
    getNetwork: () => network,
    check(): Promise<NodeNetwork> {
      if (network !== "unknown") return Promise.resolve(network);
      checkInFlight ??= askNetwork().finally(() => {
        checkInFlight = null;
      });
      return checkInFlight;
    },
    /** Requires a new check before the node's next use, unless the last is recent. @returns whether one is required */
    requireNewCheck(): boolean {
      if (genesisHash === null || clock.now() - checkedAt <= NETWORK_CHECK_TTL_MS) return false;
      network = "unknown";
      return true;
    },
  };
}

/** Creates the record of the newest slot in a node's own answers. */
function createSlotRecord({ name, newestSlot, hasPeers }: NodeOptions, health: Health, requireNewCheck: () => boolean) {
  let isSuspect = false;
  let slot: number | null = null;
  return {
    getSlot: () => slot,
    /** Until the node shows a current slot: it is behind when it returns, perhaps before any other node does. */
    markSuspect(): void {
      isSuspect = true;
    },
    /** @throws AppError upstream_unavailable when the node lags or shows an implausible slot; or what `read` throws */
    readAnswer<T>(method: string, answer: RpcAnswer, read: (answer: RpcAnswer) => T): T {
      const answerSlot = readSlot(method, answer.result);
      if (answerSlot !== null) {
        slot = answerSlot;
        // A leap may mean that the URL now points to another network: slots of two networks differ by millions.
        if (newestSlot.isLeap(answerSlot) && requireNewCheck())
          throw createUnavailableError(name, "shows a slot that is too far ahead", 1);
        isSuspect = newestSlot.recordSlot(answerSlot, hasPeers && isSuspect);
        if (isSuspect) {
          health.recordFailure("lagging");
          throw createUnavailableError(name, "lags");
        }
      }
      const value = read(answer);
      health.recordAnswer(answerSlot !== null);
      return value;
    },
  };
}

/** Creates the client of one node: a breaker for each method, and a health that every answer updates. */
export function createNode(options: NodeOptions) {
  const { name, clock } = options;
  const health = createHealth(options, (state) => {
    if (state !== "up") slotRecord.markSuspect();
    options.notify(`${name} is ${state}.`);
  });
  const post = createPoster(options, health);
  const getBreaker = memoize(Number.POSITIVE_INFINITY, () => createBreaker(name, clock));
  const network = createNetworkCheck(options, post);
  const slotRecord = createSlotRecord(options, health, network.requireNewCheck);
  let probedAt = clock.now();

  const checkNetwork = (): Promise<NodeNetwork> => {
    if (network.getNetwork() === "unknown") probedAt = clock.now();
    return network.check();
  };

  const askNode = async <T>(
    method: string,
    body: string,
    { timeoutMs, maxBytes, read }: RpcRequestOptions<T> & { timeoutMs: number },
  ): Promise<Attempt<T>> => {
    if (network.getNetwork() !== "right" && (await checkNetwork()) !== "right") {
      const error = createUnavailableError(name, `is not usable: its network is ${network.getNetwork()}`, 1);
      return { error, mayTryNextNode: true };
    }
    let answer: RpcAnswer | undefined;
    try {
      const value = await getBreaker(method).run(async () => {
        answer = await post(method, body, { timeoutMs, maxBytes });
        return slotRecord.readAnswer(method, answer, read);
      });
      return { value };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (answer && error.code === "upstream_unavailable" && isNodeBusy(answer)) health.recordFailure("busy");
      return { error, mayTryNextNode: mayTryNextNode(answer, error) };
    }
  };

  return {
    ask: askNode,
    checkNetwork,
    /** Returns whether the node takes calls of a method: its network is right, it is up, and the breaker is closed. */
    isUp: (method: string) => network.getNetwork() === "right" && health.isUp() && !getBreaker(method).isOpen(),
    /** Returns whether the node may be asked when no node is up. */
    mayBeAsked: () => network.getNetwork() !== "wrong" && health.getRetryAfterMs() === 0,
    /** Returns whether the node is not up and may be tried: it has rested, or its network is to be checked first. */
    isRested: () => network.getNetwork() === "unknown" || (network.getNetwork() === "right" && health.isRested()),
    getRetryAfterMs: health.getRetryAfterMs,
    /** Returns whether a probe is due: the node has rested, or has answered nothing for `idleMs`. */
    isProbeDue(idleMs: number): boolean {
      const now = clock.now();
      const state = health.getState();
      if (network.getNetwork() === "wrong" || now - probedAt < PROBE_TIMEOUT_MS) return false;
      if (network.getNetwork() === "unknown") return now - probedAt >= NETWORK_CHECK_PAUSE_MS;
      if (state === "up") return now - Math.max(probedAt, health.getAnsweredAt() ?? 0) >= idleMs;
      return state !== "busy" && health.isRested();
    },
    async probe(): Promise<void> {
      probedAt = clock.now();
      const read = createResultReader("getSlot", z.number().int().nonnegative());
      const body = encodeRpcBody("getSlot", SLOT_PARAMS);
      await askNode("getSlot", body, { maxBytes: SMALL_ANSWER_BYTES, timeoutMs: PROBE_TIMEOUT_MS, read });
    },
    getState(): NodeState | "unchecked" | "wrong network" {
      if (network.getNetwork() === "right") return health.getState();
      return network.getNetwork() === "wrong" ? "wrong network" : "unchecked";
    },
    getLastFault: health.getLastFault,
    getAnsweredAt: health.getAnsweredAt,
    /** Returns the slot in the node's newest answer; null before the first. */
    getSlot: slotRecord.getSlot,
  };
}

/** Returns the slot at which an answer was made, or null when the answer does not show it. */
function readSlot(method: string, result: unknown): number | null {
  if (typeof result === "number") return method === "getSlot" ? result : null;
  const { context, absoluteSlot } = (result ?? {}) as { context?: { slot?: unknown }; absoluteSlot?: unknown };
  const slot = context?.slot ?? absoluteSlot;
  return typeof slot === "number" ? slot : null;
}

/** Returns whether another node may answer the call. Failures caused by the request are the same on every node. */
function mayTryNextNode(answer: RpcAnswer | undefined, { code, details }: AppError): boolean {
  if (code === "upstream_unavailable" || code === "upstream_timeout") return true;
  if (details.cause instanceof AnswerTooLongError) return false;
  // Other error codes are ambiguous: a wrong API key, for example, may be reported with status 200.
  if (code === "upstream_invalid") return answer?.error?.code !== INVALID_PARAMS;
  // The node may be behind and not know the accounts that the transaction uses.
  return code === "simulation_failed";
}

/** The code of a request with invalid parameters. Source: JSON-RPC 2.0, section 5.1. */
const INVALID_PARAMS = -32602;

/** Creates the error of a call without a usable answer. @param reason follows the node's name in the log */
export const createUnavailableError = (name: string, reason: string, retryAfterSeconds?: number) =>
  new AppError("upstream_unavailable", { cause: new UpstreamFault(name, reason), retryAfterSeconds });
