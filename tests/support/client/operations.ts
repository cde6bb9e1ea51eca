import { CONTRACTS } from "../../../lib/contracts";
import type { Contract } from "../../../lib/contracts/define";
import { createExampleRequest } from "../../../lib/contracts/examples";

/* Builds requests from the examples in the registry, so that a new operation is tested automatically. */

export interface OperationRequest {
  contract: Contract;
  method: string;
  /** The path with its parameters filled in, and with the required query parameters. */
  path: string;
  /** A body that passes the contract's schema; undefined when the operation has none. */
  body: Record<string, unknown> | undefined;
}

/** Appends a query to a path that may already have one. @param query with its question mark */
export const appendQuery = (path: string, query: string) =>
  path + (path.includes("?") ? query.replace("?", "&") : query);

/** Pairs each operation with its name, which test titles show. */
export const nameOperations = (operations: OperationRequest[]) =>
  operations.map((operation) => [operation.contract.operation, operation] as const);

/** The example request of every operation. Its contract accepts every part. */
export const OPERATIONS: OperationRequest[] = CONTRACTS.map((contract: Contract) => {
  const { path, query, body } = createExampleRequest(contract);
  const requiredQuery =
    contract.query?.safeParse({}).success === false ? `?${new URLSearchParams(query as Record<string, string>)}` : "";
  return { contract, method: contract.method, path: path + requiredQuery, body };
});
/** Operations that require a signature or an API key. */
export const PROTECTED_OPERATIONS = OPERATIONS.filter(({ contract }) => !["none", "optional"].includes(contract.auth));
/** Operations that accept a body. */
export const OPERATIONS_WITH_BODY = OPERATIONS.filter(({ method }) => method === "POST");

/** Every path once, with its methods. */
export const PATHS_WITH_METHODS = [...new Set(OPERATIONS.map(({ path }) => path))].map((path) => {
  const methods = OPERATIONS.filter((operation) => operation.path === path).map(({ method }) => method);
  if (methods.includes("GET")) methods.push("HEAD");
  return { path, methods: [...methods, "OPTIONS"] };
});
