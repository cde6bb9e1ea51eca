import type { SendRequestOptions, UpstreamResponse } from "../../../lib/clients/http/send-request";
import { createNodes, type NodesOptions } from "../../../lib/clients/solana/nodes/nodes";
import { AppError } from "../../../lib/errors";
import { manualClock } from "./manual-clock";

/* Solana nodes without a network, driven by a manual clock. */

interface NodeCall {
  method: string;
  params: unknown[];
  id: unknown;
}

/** Returns a node's answer to a call. It may throw as the network does, or wait on the clock. */
export type StagedNode = (call: NodeCall, timeoutMs: number) => Reply | Promise<Reply>;
type Reply = { result: unknown } | { error: { code: number; message: string } } | UpstreamResponse;

/** Returns an HTTP answer of a node. */
export const reply = (status: number, headers: UpstreamResponse["headers"] = {}, text = ""): UpstreamResponse => ({
  status,
  headers,
  text,
});

/** Returns an answer with this slot in its context. */
export const resultAt = (slot: number, value: unknown = null) => ({ result: { context: { slot }, value } });

/** Fails as a node that cannot be reached. */
export const refuse = (): never => {
  throw new AppError("upstream_unavailable");
};

/** @param staged the answers of each node, by the name used as its address; a test may replace them */
export function stagedNodes(staged: Record<string, StagedNode>, changes: Partial<NodesOptions> = {}) {
  const clock = manualClock();
  const seen: { node: string; method: string; params: unknown[] }[] = [];
  const notices: string[] = [];
  const transport = async (url: URL, { body, timeoutMs }: SendRequestOptions): Promise<UpstreamResponse> => {
    const node = url.hostname;
    const call: NodeCall = JSON.parse(body!);
    seen.push({ node, method: call.method, params: call.params });
    const staging = await staged[node]!(call, timeoutMs);
    return "status" in staging ? staging : reply(200, {}, JSON.stringify({ jsonrpc: "2.0", id: call.id, ...staging }));
  };
  const nodes = createNodes({
    readUrls: Object.keys(staged).map((name) => `http://${name}/?key=secret`),
    sendUrls: [],
    sendsPerSecond: null,
    genesisHash: null,
    timeoutMs: 5_000,
    clock,
    random: { bytes: (length) => new Uint8Array(length) },
    notice: (text) => notices.push(text),
    transport,
    ...changes,
  });
  return { nodes, clock, staged, seen, notices, hang: createHangingNode(clock.sleep) };
}

/** Creates a node that receives a call and never answers. */
const createHangingNode =
  (sleep: (ms: number) => Promise<void>): StagedNode =>
  async (_call, timeoutMs) => {
    await sleep(timeoutMs);
    throw new AppError("upstream_timeout");
  };
