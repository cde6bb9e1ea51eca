import type { Clock } from "../../../ports/clock";
import type { Random } from "../../../ports/random";
import { sendRequest } from "../../http/send-request";
import { type Ask, type JsonRpc, rpcBody } from "../json-rpc";
import type { Fault } from "./health";
import { createNewestSlot } from "./newest-slot";
import { createNode, type Node, type NodeOptions } from "./node";
import { createPool, noneToAsk } from "./pool";
import { createSends } from "./sends";

/** Of mainnet-beta. Source: `solana genesis-hash`, docs.anza.xyz/clusters. */
export const MAINNET_GENESIS = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d";

export interface NodesOptions {
  /** In order of preference; they may carry keys and are never logged. */
  readUrls: readonly string[];
  /** Each is sent every transaction; empty: the reading ones send too. */
  sendUrls: readonly string[];
  /** To each of them; null: no limit. */
  sendsPerSecond: number | null;
  /** Of the network that all must be of; null: they need not say. */
  genesisHash: string | null;
  /** For one call, the nodes asked in turn included, ms. */
  timeoutMs: number;
  clock: Clock;
  random: Random;
  /** Told of what an operator should know; goes to the log. */
  notice: (text: string) => void;
  /** Takes the place of the network in tests. */
  transport?: typeof sendRequest;
}

type NodeUse = "read" | "send";

/** How a node does. Which one is said by its position in its setting, from 1; its address is a secret. */
interface NodeReport {
  use: NodeUse;
  position: number;
  state: ReturnType<Node["state"]>;
  /** Slots behind the newest seen, as of its own last answer; null when it has shown none. */
  lagSlots: number | null;
  lastFault: Fault | null;
  /** Ms since the epoch. */
  answeredAt: number | null;
}

export interface Nodes {
  rpc: JsonRpc;
  /** See createSends. */
  send: ReturnType<typeof createSends>;
  /** Newest in any answer; 0 before the first. */
  newestSlot(): number;
  report(): NodeReport[];
  /** Asks every node which network it is of, and where it stands. @returns those that did not say the right network */
  check(): Promise<{ use: NodeUse; position: number; network: "unknown" | "wrong" }[]>;
}

/** The Solana nodes that this process asks. Keep one per process. */
export function createNodes(options: NodesOptions): Nodes {
  const { readUrls, sendUrls, sendsPerSecond, timeoutMs, clock } = options;
  const newest = createNewestSlot(clock);
  const common = { ...options, newest, transport: options.transport ?? sendRequest };
  const reads = open(readUrls, "rpc", { ...common, sendsOnly: false });
  const senders = open(sendUrls, "send", { ...common, sendsOnly: true });
  const rpc = createPool(reads, { timeoutMs, now: clock.now });
  const alone = senders.map((node) => [askOneNode(node, timeoutMs)]);
  // Without senders: all that are read from, each with another one first.
  const inRotation = reads.map(
    (_, i) => createPool([...reads.slice(i), ...reads.slice(0, i)], { timeoutMs, now: clock.now }).ask,
  );
  const targets = senders.length > 0 ? alone : [inRotation];
  const all = [
    ...reads.map((node, i) => ({ node, use: "read" as const, position: i + 1 })),
    ...senders.map((node, i) => ({ node, use: "send" as const, position: i + 1 })),
  ];
  return {
    rpc,
    send: createSends({ targets, perSecond: sendsPerSecond, clock }),
    newestSlot: newest.slot,
    report: () =>
      all.map(({ node, use, position }) => {
        const slot = node.slot();
        const lagSlots = slot === null ? null : Math.max(0, newest.slot() - slot);
        const [state, lastFault, answeredAt] = [node.state(), node.lastFault(), node.answeredAt()];
        return { use, position, state, lagSlots, lastFault, answeredAt };
      }),
    async check() {
      const found = await Promise.all(
        all.map(async ({ node, use, position }) => ({ use, position, network: await node.checkNetwork() })),
      );
      // The first round learns the newest slot, the second who is behind it.
      const known = reads.filter((node) => node.state() !== "unchecked");
      for (let round = 0; round < 2; round++) await Promise.all(known.map((node) => node.probe()));
      return found.flatMap(({ network, ...one }) => (network === "right" ? [] : [{ ...one, network }]));
    },
  };
}

function open(urls: readonly string[], kind: string, options: Omit<NodeOptions, "url" | "name" | "hasPeers">): Node[] {
  return urls.map((url, i) => {
    const name = urls.length > 1 || kind === "send" ? `${kind} ${i + 1}` : kind;
    return createNode({ ...options, url, name, hasPeers: urls.length > 1 });
  });
}

/** One node, asked once, unless it rests. */
function askOneNode(node: Node, timeoutMs: number): Ask {
  return async (method, params, options) => {
    if (!node.isUp(method) && !node.isRested()) throw noneToAsk([node]);
    const attempt = await node.ask(method, rpcBody(method, params), { ...options, timeoutMs });
    if ("error" in attempt) throw attempt.error;
    return attempt.value;
  };
}
