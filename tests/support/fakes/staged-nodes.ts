import type { SendRequestOptions, UpstreamResponse } from "../../../lib/clients/http/send-request";
import { bindQuotaUser, SERVICE_ITSELF } from "../../../lib/clients/quota/quota-port";
import { createNodes, type NodesOptions } from "../../../lib/clients/solana/nodes/nodes";
import { createSolanaRpc } from "../../../lib/clients/solana/solana-rpc";
import { AppError } from "../../../lib/errors";
import { createManualClock } from "./manual-clock";

/* Creates Solana nodes without a network, whose time a manual clock states. */

interface NodeCall {
  method: string;
  params: unknown[];
  id: unknown;
}

/** Answers a call as a node. It may throw as the network does, or wait on the clock. */
export type StagedNode = (call: NodeCall, timeoutMs: number) => Reply | Promise<Reply>;
type Reply = { result: unknown } | { error: { code: number; message: string } } | UpstreamResponse;

/** Creates an HTTP answer of a node. */
export const createReply = (
  status: number,
  headers: UpstreamResponse["headers"] = {},
  text = "",
): UpstreamResponse => ({ status, headers, text });

/** Creates a JSON-RPC result with this slot in its context. */
export const createResultAt = (slot: number, value: unknown = null) => ({ result: { context: { slot }, value } });

/** Fails as a node does that cannot be reached. */
export const refuseConnection = (): never => {
  throw new AppError("upstream_unavailable");
};

/** @param staged answers the calls of each node, by the host name in its address; a test may replace a function */
export function createStagedNodes(staged: Record<string, StagedNode>, overrides: Partial<NodesOptions> = {}) {
  const clock = createManualClock();
  const receivedCalls: { node: string; method: string; params: unknown[] }[] = [];
  const notices: string[] = [];
  const transport = async (url: URL, { body, timeoutMs }: SendRequestOptions): Promise<UpstreamResponse> => {
    const node = url.hostname;
    const call: NodeCall = JSON.parse(body!);
    receivedCalls.push({ node, method: call.method, params: call.params });
    const answer = await staged[node]!(call, timeoutMs);
    return "status" in answer
      ? answer
      : createReply(200, {}, JSON.stringify({ jsonrpc: "2.0", id: call.id, ...answer }));
  };
  const nodes = createNodes({
    readUrls: Object.keys(staged).map((name) => `http://${name}/?key=secret`),
    sendUrls: [],
    sendsPerSecond: null,
    genesisHash: null,
    timeoutMs: 5_000,
    clock,
    random: { bytes: (length) => new Uint8Array(length) },
    notify: (text) => notices.push(text),
    transport,
    ...overrides,
  });
  /** Receives a call and never answers. */
  const hang: StagedNode = async (_call, timeoutMs) => {
    await clock.sleep(timeoutMs);
    throw new AppError("upstream_timeout");
  };
  const rpc = bindQuotaUser(SERVICE_ITSELF, createSolanaRpc({ nodes, clock }));
  return { nodes, rpc, clock, staged, receivedCalls, notices, hang };
}
