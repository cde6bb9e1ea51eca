import { decodeTransaction } from "../../../lib/sandbox/chain/decode-transaction";
import type { Chain } from "../../../lib/sandbox/chain/types";
import type { Middleware } from "../../../lib/sandbox/rpc/server";
import { runSandbox } from "../../../lib/sandbox/run";

/* Runs a sandbox whose faults tests may set. */

/** Lets a method, a path of the market, or with `*` all of them answer with errors. Mode "off" ends all faults. */
type FaultSetting = { target: string; mode: "error" | "off" };

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
function createFaultMiddleware(): Middleware {
  const failingTargets = new Set<string>();
  let shouldDrop = false;
  const setFault = ({ target, mode }: FaultSetting): void => {
    if (mode === "off") failingTargets.clear();
    else failingTargets.add(target);
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
    const targets = body === undefined ? [path] : methods;
    if (targets.some((target) => failingTargets.has(target) || failingTargets.has("*"))) {
      const error = { code: -32603, message: "Internal error" };
      return { status: 500, body: JSON.stringify({ jsonrpc: "2.0", id: null, error }) };
    }
    return serve(shouldDrop ? { ...context, chain: withDroppedSends(context.chain) } : context);
  };
}

await runSandbox(process.argv.slice(2), createFaultMiddleware());
