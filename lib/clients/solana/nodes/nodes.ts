/**
 * This folder decides which Solana node answers a call. It knows health, lag, failover and send rates, but not what
 * the calls mean: methods and their answers belong in `lib/clients/solana`.
 *
 * Problem: every node is sometimes slow, rate limited, behind, or on another network. A wrong or stale answer is
 * worse than none, because users sign transactions that rest on it.
 *
 * Invariant: an answer that shows a slot is used only when that slot is at most 25 behind the newest one known. A node
 * is used only after it has reported the configured network. Senders that know no such method are trusted without it.
 *
 * How it is kept: each node (`node.ts`) has a health record (`health.ts`) and a breaker for each method. The slot in
 * every answer is compared with the newest one known (`newest-slot.ts`). The pool (`pool.ts`) asks the first node
 * that is up, and the next one when that may help. Nodes at rest are probed in the background. Transactions go to all
 * senders (`transaction-sender.ts`).
 *
 * Example: node 1 is 30 slots behind node 2, which answered just now. More than 25 slots is a lag, so node 1's answer
 * is dropped, and the pool asks node 2 in the same call. Node 1 rests for about 10 s. Then a probe asks it for its
 * slot, and it is used again once that slot is current.
 */
import type { Clock } from "../../../ports/clock";
import type { Random } from "../../../ports/random";
import type { UpstreamReport } from "../../../ports/upstream-report";
import { sendRequest } from "../../http/send-request";
import { encodeRpcBody, type RpcRequest } from "../json-rpc";
import { createNewestSlot } from "./newest-slot";
import { createNode, type Node, type NodeOptions } from "./node";
import { createNoNodeError, createPool } from "./pool";
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
  /** Receives messages for the operator, which go to the log. */
  notify: (text: string) => void;
  /** Replaces the network in tests. */
  transport?: typeof sendRequest;
}

/** The health of one node. It is identified by its position in its setting, from 1, because its URL is a secret. */
interface NodeReport extends Omit<UpstreamReport, "name"> {
  use: "read" | "send";
  position: number;
}

export type Nodes = ReturnType<typeof createNodes>;

/** Creates the client of all configured Solana nodes. Keep one per process. */
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
