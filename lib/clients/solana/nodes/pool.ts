import { AppError, UpstreamFault } from "../../../errors";
import { type JsonRpc, jsonRpcOver, rpcBody } from "../json-rpc";
import type { Node } from "./node";

/** Between looks at who is due for a probe. */
const ROUND_MS = 1_000;
/** A node that nobody asked for so long is asked for its slot, so that it is known how it does before it is needed. */
const IDLE_MS = 10_000;
/** A node that hangs is waited for no longer while another is up: what is left of the time is that one's. */
const PATIENCE_MS = 2_000;

/**
 * Asks the first node that is up, and the next when that may help, `timeoutMs` in all; where there is one only, it is asked
 * once more, but never after a time-out. Those left alone are probed in the background, while others are asked at all. Where none is up, the first is
 * asked that has not told us to wait, and after it those that failed.
 */
export function createPool(nodes: Node[], { timeoutMs, now }: { timeoutMs: number; now: () => number }): JsonRpc {
  let nextRound = 0;
  const probe = async () => {
    nextRound = now() + ROUND_MS;
    const due = nodes.filter((node) => node.isDue(nodes.length > 1 ? IDLE_MS : Number.POSITIVE_INFINITY));
    if (due.length === 0) return;
    // First one that is up, for the newest slot: whoever lagged is compared with it.
    await nodes.find((node) => node.isUp("getSlot"))?.probe();
    for (const node of due) void node.probe();
  };

  const choose = (method: string, tried: Node[]): Node | undefined => {
    if (tried.length === 0) return nodes.find((node) => node.isUp(method)) ?? nodes.find((node) => node.mayBeAsked());
    if (nodes.length === 1) return tried.length === 1 && tried[0]!.mayBeAsked() ? tried[0] : undefined;
    const others = nodes.filter((node) => !tried.includes(node));
    const up = others.find((node) => node.isUp(method));
    // One that was cut off together with all others is back long before its rest is over.
    const none = !up && !nodes.some((node) => node.isUp(method));
    return none ? others.find((node) => node.state() === "failing" && node.mayBeAsked()) : up;
  };

  const patience = (method: string, tried: Node[], leftMs: number) => {
    const isLast = !nodes.some((node) => !tried.includes(node) && node.isUp(method));
    return isLast ? leftMs : Math.min(leftMs, PATIENCE_MS);
  };

  return jsonRpcOver(async (method, params, options) => {
    if (now() >= nextRound) void probe();
    const body = rpcBody(method, params);
    const endsAt = now() + timeoutMs;
    const tried: Node[] = [];
    let failure: AppError | undefined;
    for (;;) {
      const leftMs = endsAt - now();
      const node = leftMs > 0 ? choose(method, tried) : undefined;
      if (!node) throw failure ?? noneToAsk(nodes);
      tried.push(node);
      const attempt = await node.ask(method, body, { ...options, timeoutMs: patience(method, tried, leftMs) });
      if ("value" in attempt) return attempt.value;
      failure = attempt.error;
      // What is sent, the relay sends again by itself.
      const askedAgain = nodes.length > 1 || (method !== "sendTransaction" && isWorthAnother(failure));
      if (!attempt.mayPass || !askedAgain) throw failure;
    }
  });
}

/** Of the very same node. */
const isWorthAnother = ({ code, details }: AppError) =>
  code === "upstream_unavailable" && details.retryAfterSeconds === undefined;

export function noneToAsk(nodes: Node[]): AppError {
  const waitMs = Math.min(...nodes.map((node) => node.mustWaitMs()));
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new AppError("upstream_unavailable", {
    cause: new UpstreamFault("rpc", "has nobody to ask"),
    retryAfterSeconds,
  });
}
