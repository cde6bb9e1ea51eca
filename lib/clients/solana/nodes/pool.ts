import type { AppError } from "../../../errors";
import { createJsonRpcFrom, encodeRpcBody, type JsonRpc } from "../json-rpc";
import { createUnavailableError, type Node } from "./node";

/** The time between two checks for nodes that are due for a probe, ms. */
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
export function createPool(nodes: Node[], { timeoutMs, now }: { timeoutMs: number; now: () => number }): JsonRpc {
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

/** Returns whether to ask a lone node once more. */
const mayRetrySameNode = ({ code, details }: AppError) =>
  code === "upstream_unavailable" && details.retryAfterSeconds === undefined;

/** Returns the error for a call when no node may be asked. Its Retry-After is the nodes' shortest, at least 1 s. */
export function createNoNodeError(nodes: Node[]): AppError {
  const waitMs = Math.min(...nodes.map((node) => node.getRetryAfterMs()));
  return createUnavailableError("rpc", "has no node available", Math.max(1, Math.ceil(waitMs / 1000)));
}
