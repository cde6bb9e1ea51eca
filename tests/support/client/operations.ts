import { CONTRACTS } from "../../../lib/contracts";
import type { Contract } from "../../../lib/contracts/define";
import { exampleRequest } from "../../../lib/contracts/examples";

/** Requests made from the registry's examples, so that an operation that is added is tested without another word. */

export interface OperationRequest {
  contract: Contract;
  method: string;
  /** With its parameters filled in, and the query where there must be one. */
  path: string;
  /** Passes the contract's schema; absent where there is none. */
  body: Record<string, unknown> | undefined;
}

/** A request of an operation whose every part its contract accepts: its example. */
function requestOf(contract: Contract): OperationRequest {
  const { path, query, body } = exampleRequest(contract);
  const needed =
    contract.query?.safeParse({}).success === false ? `?${new URLSearchParams(query as Record<string, string>)}` : "";
  return { contract, method: contract.method, path: path + needed, body };
}

/** @param query with its question mark; stands behind that of the path, if there is one */
export const withQuery = (path: string, query: string) => path + (path.includes("?") ? query.replace("?", "&") : query);

export const OPERATIONS = CONTRACTS.map(requestOf);
export const PROTECTED = OPERATIONS.filter(({ contract }) => !["none", "optional"].includes(contract.auth));
export const PUBLIC = OPERATIONS.filter(({ contract }) => contract.auth === "none");
export const WITH_BODY = OPERATIONS.filter(({ method }) => method === "POST");

/** Every path once, with the methods it answers. */
export const PATHS = [...new Set(OPERATIONS.map(({ path }) => path))].map((path) => {
  const methods = OPERATIONS.filter((one) => one.path === path).map(({ method }) => method);
  if (methods.includes("GET")) methods.push("HEAD");
  return { path, methods: [...methods, "OPTIONS"] };
});
