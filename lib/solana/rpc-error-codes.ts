/* Codes of JSON-RPC errors. Source: RpcCustomError in agave/rpc-client-api/src/custom_error.rs, and JSON-RPC 2.0. */

const NODE_UNHEALTHY = -32005;
/** Nodes also refuse lists above their own size limit with this code. */
export const SCAN_ERROR = -32012;
const LONG_TERM_STORAGE_UNREACHABLE = -32019;

/** Helius, QuickNode and Ankr use some of these codes, and those without a name here, for a used-up quota. */
export const OVERLOAD_RPC_CODES: ReadonlySet<number> = new Set([
  429,
  NODE_UNHEALTHY,
  SCAN_ERROR,
  LONG_TERM_STORAGE_UNREACHABLE,
  -32090,
  -32429,
]);

/** Often by a single slot. This error alone must not take the node out of rotation. */
const MIN_CONTEXT_SLOT_NOT_REACHED = -32016;

/** The node lacks one transaction: its block was skipped or is missing in long-term storage, or it keeps no history. */
export const MISSING_TRANSACTION_RPC_CODES: ReadonlySet<number> = new Set([-32009, -32011]);
/** The transaction's format is newer than the request allows. The code concerns that transaction only. */
export const UNSUPPORTED_TRANSACTION_VERSION = -32015;

const INTERNAL_ERROR = -32603;
const BLOCK_NOT_AVAILABLE = -32004;
const SLOT_SKIPPED = -32007;
const LONG_TERM_STORAGE_SLOT_SKIPPED = -32009;
const BLOCK_STATUS_NOT_AVAILABLE_YET = -32014;

/** Error codes of a node that is overloaded or lacks data for now. Other codes mean a wrong request. */
export const TRANSIENT_RPC_CODES: ReadonlySet<number> = new Set([
  ...OVERLOAD_RPC_CODES,
  MIN_CONTEXT_SLOT_NOT_REACHED,
  INTERNAL_ERROR,
  BLOCK_NOT_AVAILABLE,
  SLOT_SKIPPED,
  LONG_TERM_STORAGE_SLOT_SKIPPED,
  BLOCK_STATUS_NOT_AVAILABLE_YET,
]);
