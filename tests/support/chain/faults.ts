import { setTimeout } from "node:timers/promises";
import { decodeTransaction } from "../../../lib/sandbox/chain/decode-transaction";
import type { Chain } from "../../../lib/sandbox/chain/types";
import type { Middleware } from "../../../lib/sandbox/rpc/server";

/** How the sandbox answers calls of a target: with an error, or after a delay. */
type Fault = { mode: "error" } | { mode: "slow"; delayMs: number };

/** A fault of one method, one path of the market, or `*` for all. Mode "off" ends it, and with `*` all faults. */
type FaultSetting = { target: string } & (Fault | { mode: "off" });

type Call = { method?: string; params?: unknown[]; id?: unknown };

/** Returns the chain without the transactions that callers send. They get signatures. */
const withDroppedSends = (chain: Chain): Chain => ({
  ...chain,
  send: (wireBytes) => decodeTransaction(wireBytes).signature,
});

/**
 * Creates a middleware that adds two methods to a sandbox: `sandbox_setFault` with a FaultSetting, and
 * `sandbox_dropTransactions` with a flag.
 */
export function createFaultMiddleware(): Middleware {
  const faultByTarget = new Map<string, Fault>();
  let shouldDrop = false;
  const setFault = ({ target, ...fault }: FaultSetting): void => {
    if (fault.mode !== "off") faultByTarget.set(target, fault);
    else if (target === "*") faultByTarget.clear();
    else faultByTarget.delete(target);
  };
  const findFault = (targets: string[]): Fault | undefined => {
    const target = targets.find((candidate) => faultByTarget.has(candidate)) ?? "*";
    return targets.length > 0 ? faultByTarget.get(target) : undefined;
  };
  return async ({ path, body }, context, serve) => {
    const calls = body === undefined ? [] : ([body].flat() as Call[]);
    const [{ method, params = [], id } = {}] = calls;
    if (method === "sandbox_setFault") setFault(params[0] as FaultSetting);
    if (method === "sandbox_dropTransactions") shouldDrop = params[0] === true;
    if (method === "sandbox_setFault" || method === "sandbox_dropTransactions")
      return { status: 200, body: JSON.stringify({ jsonrpc: "2.0", id, result: true }) };
    // Faults never apply to sandbox_ methods, which tests call.
    const methods = calls.flatMap((call) => (call.method?.startsWith("sandbox_") ? [] : [call.method ?? ""]));
    const fault = findFault(body === undefined ? [path] : methods);
    if (fault?.mode === "slow") await setTimeout(fault.delayMs);
    if (fault?.mode === "error") {
      const error = { code: -32603, message: "Internal error" };
      return { status: 500, body: JSON.stringify({ jsonrpc: "2.0", id: null, error }) };
    }
    return serve(shouldDrop ? { ...context, chain: withDroppedSends(context.chain) } : context);
  };
}
