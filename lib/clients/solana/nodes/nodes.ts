/**
 * This folder decides which Solana node answers a call. It knows health, lag, failover and send rates, but not what the
 * calls mean: methods and their answers belong in `lib/clients/solana`.
 *
 * Problem: every node is sometimes slow, rate limited, behind, or on another network. A stale answer is worse than
 * none, because users sign transactions that rest on it.
 *
 * Invariant: an answer that shows a slot is used only when that slot is at most 25 behind the newest one known. A node
 * is used only after it has reported the configured network. Senders that know no such method are trusted without it.
 *
 * How it is kept: each node (`node.ts`) has a health record (`health.ts`) and a breaker for each method. The slot in
 * every answer is compared with the newest one known (`newest-slot.ts`). The pool asks the first node that
 * is up, and the next one when that may help. Nodes at rest are probed in the background. Transactions go to all
 * senders (`transaction-sender.ts`).
 */
import type { AppError } from "../../../errors";
import type { Clock } from "../../../ports/clock";
import type { Random } from "../../../ports/random";
import type { UpstreamReport } from "../../../ports/upstream-report";
import { sendRequest } from "../../http/send-request";
import { createJsonRpcFrom, encodeRpcBody, type JsonRpc, type RpcRequest } from "../json-rpc";
import { createNewestSlot } from "./newest-slot";
import { createNode, createUnavailableError, type Node, type NodeOptions } from "./node";
import { createTransactionSender } from "./transaction-sender";

/** The genesis hash of mainnet-beta. Source: `solana genesis-hash`, docs.anza.xyz/clusters. */
export const MAINNET_GENESIS = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d";

export interface NodesOptions {
  /** URLs in order of preference. They may carry keys and are never logged. */
  readUrls: readonly string[];
  /** Each of these is sent every transaction. Empty: transactions go through the read nodes. */
  sendUrls: readonly string[];
  /** Sends per second to each target; null means no limit. */
  sendsPerSecond: number | null;
  /** The genesis hash that every node must report; null disables the check. */
  genesisHash: string | null;
  /** The time limit of one call, including all nodes asked in turn, ms. */
  timeoutMs: number;
  clock: Clock;
  random: Random;
  notify: (text: string) => void;
  transport?: typeof sendRequest;
}

/** The health of one node. It is identified by its position in its setting, from 1, because its URL is a secret. */
interface NodeReport extends Omit<UpstreamReport, "name"> {
  use: "read" | "send";
  position: number;
}

export type Nodes = ReturnType<typeof createNodes>;

export function createNodes(options: NodesOptions) {
  const { readUrls, sendUrls, sendsPerSecond, timeoutMs, clock } = options;
  const newestSlot = createNewestSlot(clock);
  const nodeOptions = { ...options, newestSlot, transport: options.transport ?? sendRequest };
  const readNodes = createNodeList(readUrls, "rpc", { ...nodeOptions, isSendOnly: false });
  const sendNodes = createNodeList(sendUrls, "send", { ...nodeOptions, isSendOnly: true });
  const rpc = createPool(readNodes, { timeoutMs, now: clock.now });
  // Without senders, repeated sends rotate through the read nodes: each pool starts with a different one.
  const rotatingPools = readNodes.map(
    (_, i) => createPool([...readNodes.slice(i), ...readNodes.slice(0, i)], { timeoutMs, now: clock.now }).ask,
  );
  const sendTargets = sendNodes.length > 0 ? sendNodes.map((node) => [askOneNode(node, timeoutMs)]) : [rotatingPools];
  const allNodes = [
    ...readNodes.map((node, i) => ({ node, use: "read" as const, position: i + 1 })),
    ...sendNodes.map((node, i) => ({ node, use: "send" as const, position: i + 1 })),
  ];
  return {
    rpc,
    ...createTransactionSender({ targets: sendTargets, sendsPerSecond, clock }),
    /** Whether `SENDS_PER_SECOND` limits the sends. They then do not count as calls. */
    hasSendLimit: sendsPerSecond !== null,
    getNewestSlot: newestSlot.getSlot,
    getSlotMs: newestSlot.getSlotMs,
    report: (): NodeReport[] =>
      allNodes.map(({ node, use, position }) => {
        const slot = node.getSlot();
        const lagSlots = slot === null ? null : Math.max(0, newestSlot.getSlot() - slot);
        const [state, lastFault, answeredAt] = [node.getState(), node.getLastFault(), node.getAnsweredAt()];
        return { use, position, state, lagSlots, lastFault, answeredAt };
      }),
    /** Asks every node for its network and its slot. @returns the nodes that did not report the right network */
    async check() {
      const networks = await Promise.all(
        allNodes.map(async ({ node, use, position }) => ({ use, position, network: await node.checkNetwork() })),
      );
      // The first round learns the newest slot; the second finds the nodes that are behind it.
      const reachableNodes = readNodes.filter((node) => node.getState() !== "unchecked");
      for (let round = 0; round < 2; round++) await Promise.all(reachableNodes.map((node) => node.probe()));
      return networks.flatMap(({ network, ...node }) => (network === "right" ? [] : [{ ...node, network }]));
    },
  };
}

function createNodeList(
  urls: readonly string[],
  namePrefix: string,
  options: Omit<NodeOptions, "url" | "name" | "hasPeers">,
): Node[] {
  return urls.map((url, i) => {
    const name = urls.length > 1 || namePrefix === "send" ? `${namePrefix} ${i + 1}` : namePrefix;
    return createNode({ ...options, url, name, hasPeers: urls.length > 1 });
  });
}

/** Returns a function that asks one node once, and fails while the node rests. */
function askOneNode(node: Node, timeoutMs: number): RpcRequest {
  return async (method, params, options) => {
    if (!node.isUp(method) && !node.isRested()) throw createNoNodeError([node]);
    const attempt = await node.ask(method, encodeRpcBody(method, params), { ...options, timeoutMs });
    if ("error" in attempt) throw attempt.error;
    return attempt.value;
  };
}

const PROBE_ROUND_MS = 1_000;
/** A node that has answered nothing for this long, ms, is probed. Its health is then known before it is needed. */
const IDLE_MS = 10_000;
/** The longest wait for a node while an untried node is up, ms. The remaining time is left to the untried node. */
const MAX_NODE_WAIT_MS = 2_000;

/**
 * Creates the client of a list of nodes, in order of preference. A call goes to the first node that is up, and to the
 * next when that may help, within `timeoutMs` in all. A lone node is asked once more, but not after a timeout. While
 * calls are made, resting nodes are probed in the background. With no node up, a call goes to the first node without
 * a pending Retry-After, and then to those that failed.
 */
function createPool(nodes: Node[], { timeoutMs, now }: { timeoutMs: number; now: () => number }): JsonRpc {
  let nextRoundAt = 0;
  const probeDueNodes = async () => {
    nextRoundAt = now() + PROBE_ROUND_MS;
    const dueNodes = nodes.filter((node) => node.isProbeDue(nodes.length > 1 ? IDLE_MS : Number.POSITIVE_INFINITY));
    if (dueNodes.length === 0) return;
    // Probe a node that is up first, to learn the newest slot: lagging nodes are compared with it.
    await nodes.find((node) => node.isUp("getSlot"))?.probe();
    for (const node of dueNodes) void node.probe();
  };

  const chooseNode = (method: string, triedNodes: Node[]): Node | undefined => {
    if (triedNodes.length === 0)
      return nodes.find((node) => node.isUp(method)) ?? nodes.find((node) => node.mayBeAsked());
    if (nodes.length === 1) return triedNodes.length === 1 && triedNodes[0]!.mayBeAsked() ? triedNodes[0] : undefined;
    const untriedNodes = nodes.filter((node) => !triedNodes.includes(node));
    const upNode = untriedNodes.find((node) => node.isUp(method));
    // When all nodes were cut off together, they are reachable again long before their rests end.
    const isAllDown = !upNode && !nodes.some((node) => node.isUp(method));
    return isAllDown ? untriedNodes.find((node) => node.getState() === "failing" && node.mayBeAsked()) : upNode;
  };

  const chooseTimeoutMs = (method: string, triedNodes: Node[], remainingMs: number) => {
    const hasUntriedUpNode = nodes.some((node) => !triedNodes.includes(node) && node.isUp(method));
    return hasUntriedUpNode ? Math.min(remainingMs, MAX_NODE_WAIT_MS) : remainingMs;
  };

  return createJsonRpcFrom(async (method, params, options) => {
    if (now() >= nextRoundAt) void probeDueNodes();
    const body = encodeRpcBody(method, params);
    const endsAt = now() + timeoutMs;
    const triedNodes: Node[] = [];
    let failure: AppError | undefined;
    let inconclusiveAnswer: { value: ReturnType<typeof options.read> } | undefined;
    for (;;) {
      const remainingMs = endsAt - now();
      const node = remainingMs > 0 ? chooseNode(method, triedNodes) : undefined;
      if (!node && inconclusiveAnswer) return inconclusiveAnswer.value;
      if (!node) throw failure ?? createNoNodeError(nodes);
      triedNodes.push(node);
      const attempt = await node.ask(method, body, {
        ...options,
        timeoutMs: chooseTimeoutMs(method, triedNodes, remainingMs),
      });
      if ("value" in attempt) {
        if (nodes.length === 1 || (options.isConclusive?.(attempt.value) ?? true)) return attempt.value;
        inconclusiveAnswer = attempt;
        continue;
      }
      failure = attempt.error;
      // Do not repeat a send here: the relay repeats it anyway.
      const mayAskAgain = nodes.length > 1 || (method !== "sendTransaction" && mayRetrySameNode(failure));
      if (inconclusiveAnswer) continue;
      if (!attempt.mayTryNextNode || !mayAskAgain) throw failure;
    }
  });
}

const mayRetrySameNode = ({ code, details }: AppError) =>
  code === "upstream_unavailable" && details.retryAfterSeconds === undefined;

/** Returns the error for a call when no node may be asked. Its Retry-After is the nodes' shortest, at least 1 s. */
function createNoNodeError(nodes: Node[]): AppError {
  const waitMs = Math.min(...nodes.map((node) => node.getRetryAfterMs()));
  return createUnavailableError("rpc", "has no node available", Math.max(1, Math.ceil(waitMs / 1000)));
}
