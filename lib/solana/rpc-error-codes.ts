/* Codes of JSON-RPC errors. Source: RpcCustomError in agave/rpc-client-api/src/custom_error.rs, and JSON-RPC 2.0. */

/**
 * Error codes of a node that is overloaded or behind. Helius, QuickNode and Ankr also use them for a used-up quota.
 */
export const OVERLOAD_RPC_CODES: ReadonlySet<number> = new Set([429, -32005, -32012, -32019, -32090, -32429]);

/**
 * The node has not reached the request's `minContextSlot`, often by a single slot. This error alone must not take the
 * node out of rotation.
 */
const MIN_CONTEXT_SLOT_NOT_REACHED = -32016;

/** Error codes of a node that is overloaded or lacks data for now. Other codes mean a wrong request. */
export const TRANSIENT_RPC_CODES: ReadonlySet<number> = new Set([
  ...OVERLOAD_RPC_CODES,
  MIN_CONTEXT_SLOT_NOT_REACHED,
  -32603,
  -32004,
  -32007,
  -32009,
  -32014,
]);
