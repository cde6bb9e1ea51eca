import type { SendRequestOptions, UpstreamResponse } from "../../../lib/clients/http/send-request";
import { createNodes, type NodesOptions } from "../../../lib/clients/solana/nodes/nodes";
import { AppError } from "../../../lib/errors";
import { manualClock } from "./manual-clock";

/** Solana nodes without a network, in the time of a manual clock. */

interface NodeCall {
  method: string;
  params: unknown[];
  id: unknown;
}

/** What a node answers a call; it may throw as the network does, or wait on the clock. */
export type StagedNode = (call: NodeCall, timeoutMs: number) => Reply | Promise<Reply>;
type Reply = { result: unknown } | { error: { code: number; message: string } } | UpstreamResponse;

export const http = (status: number, headers: UpstreamResponse["headers"] = {}, text = ""): UpstreamResponse => ({
  status,
  headers,
  text,
});

/** An answer as of a slot. */
export const at = (slot: number, value: unknown = null) => ({ result: { context: { slot }, value } });

export const refused = (): never => {
  throw new AppError("upstream_unavailable");
};

/** @param staged each node's answers, by the name that stands for its address; a test may put others in their place */
export function stagedNodes(staged: Record<string, StagedNode>, changes: Partial<NodesOptions> = {}) {
  const clock = manualClock();
  const seen: { node: string; method: string; params: unknown[] }[] = [];
  const notices: string[] = [];
  const transport = async (url: URL, { body, timeoutMs }: SendRequestOptions): Promise<UpstreamResponse> => {
    const node = url.hostname;
    const call: NodeCall = JSON.parse(body!);
    seen.push({ node, method: call.method, params: call.params });
    const reply = await staged[node]!(call, timeoutMs);
    return "status" in reply ? reply : http(200, {}, JSON.stringify({ jsonrpc: "2.0", id: call.id, ...reply }));
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
  return { nodes, clock, staged, seen, notices, hang: hangs(clock.sleep) };
}

/** A node that takes a call and never answers it. */
const hangs =
  (sleep: (ms: number) => Promise<void>): StagedNode =>
  async (_call, timeoutMs) => {
    await sleep(timeoutMs);
    throw new AppError("upstream_timeout");
  };
