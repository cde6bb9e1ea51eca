import { AppError, UpstreamFault } from "../../../errors";
import { createJsonRpcFrom, encodeRpcBody, type JsonRpc } from "../json-rpc";
import type { Node } from "./node";

/** The time between two checks for nodes that are due for a probe, ms. */
const ROUND_MS = 1_000;
/** A node that has answered nothing for this long is probed, so that its health is known before it is needed, ms. */
const IDLE_MS = 10_000;
/** The longest wait for one node while another is up, ms. The rest of the time is left to the other node. */
const PATIENCE_MS = 2_000;

/**
 * Creates the client of a list of nodes, in order of preference. A call goes to the first node that is up, and to the
 * next when that may help, within `timeoutMs` in all. A lone node is asked once more, but not after a timeout. While
 * calls are made, resting nodes are probed in the background. With no node up, a call goes to the first node without
 * a pending Retry-After, and then to those that failed.
 */
export function createPool(nodes: Node[], { timeoutMs, now }: { timeoutMs: number; now: () => number }): JsonRpc {
  let nextRound = 0;
  const probeDueNodes = async () => {
    nextRound = now() + ROUND_MS;
    const due = nodes.filter((node) => node.isDue(nodes.length > 1 ? IDLE_MS : Number.POSITIVE_INFINITY));
    if (due.length === 0) return;
    // Probe a node that is up first, to learn the newest slot: lagging nodes are compared with it.
    await nodes.find((node) => node.isUp("getSlot"))?.probe();
    for (const node of due) void node.probe();
  };

  const chooseNode = (method: string, tried: Node[]): Node | undefined => {
    if (tried.length === 0) return nodes.find((node) => node.isUp(method)) ?? nodes.find((node) => node.mayBeAsked());
    if (nodes.length === 1) return tried.length === 1 && tried[0]!.mayBeAsked() ? tried[0] : undefined;
    const others = nodes.filter((node) => !tried.includes(node));
    const up = others.find((node) => node.isUp(method));
    // When all nodes were cut off together, they are reachable again long before their rests end.
    const isAllDown = !up && !nodes.some((node) => node.isUp(method));
    return isAllDown ? others.find((node) => node.getState() === "failing" && node.mayBeAsked()) : up;
  };

  const choosePatience = (method: string, tried: Node[], leftMs: number) => {
    const isLast = !nodes.some((node) => !tried.includes(node) && node.isUp(method));
    return isLast ? leftMs : Math.min(leftMs, PATIENCE_MS);
  };

  return createJsonRpcFrom(async (method, params, options) => {
    if (now() >= nextRound) void probeDueNodes();
    const body = encodeRpcBody(method, params);
    const endsAt = now() + timeoutMs;
    const tried: Node[] = [];
    let failure: AppError | undefined;
    for (;;) {
      const leftMs = endsAt - now();
      const node = leftMs > 0 ? chooseNode(method, tried) : undefined;
      if (!node) throw failure ?? createNoNodeError(nodes);
      tried.push(node);
      const attempt = await node.ask(method, body, { ...options, timeoutMs: choosePatience(method, tried, leftMs) });
      if ("value" in attempt) return attempt.value;
      failure = attempt.error;
      // Do not repeat a send here: the relay repeats it anyway.
      const askedAgain = nodes.length > 1 || (method !== "sendTransaction" && mayRetrySameNode(failure));
      if (!attempt.mayPass || !askedAgain) throw failure;
    }
  });
}

/** Returns whether to ask a lone node once more. */
const mayRetrySameNode = ({ code, details }: AppError) =>
  code === "upstream_unavailable" && details.retryAfterSeconds === undefined;

/**
 * Returns the error for a call when no node may be asked. Its Retry-After is the shortest one among the nodes, at least
 * 1 s.
 */
export function createNoNodeError(nodes: Node[]): AppError {
  const waitMs = Math.min(...nodes.map((node) => node.mustWaitMs()));
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new AppError("upstream_unavailable", {
    cause: new UpstreamFault("rpc", "has no node available"),
    retryAfterSeconds,
  });
}
