import { CONTRACTS } from "../../lib/contracts";
import type { Contract } from "../../lib/contracts/define";
import { testWallet } from "./test-wallets";

/** Requests made from the registry, so that an operation that is added is tested without another word. */

export interface OperationRequest {
  contract: Contract;
  method: string;
  /** With its parameters filled in. */
  path: string;
  /** Passes the contract's schema; absent where there is none. */
  body: Record<string, unknown> | undefined;
}

const ANY_WALLET = testWallet("somebody").address;

const PARAMS: Record<string, string> = { address: ANY_WALLET, id: "0123456789abcdef" };

/** Where the contract has no example: well-formed, though not of any use. */
const BODIES: Record<string, Record<string, unknown>> = {
  "execute-swap": { signedTransaction: "AQID" },
  "derive-wallet": { signature: `${"A".repeat(86)}==` },
  "generate-key": {},
};

/** A request of an operation whose every part its contract accepts. */
export function requestOf(contract: Contract): OperationRequest {
  const { operation, method } = contract;
  const path = contract.path.replace(/\{(\w+)\}/g, (_, name: string) => PARAMS[name]!);
  const body = contract.body && ((contract.example as Record<string, unknown> | undefined) ?? BODIES[operation]);
  if (contract.body && !body) throw new Error(`tests/support/operations.ts needs a body for ${operation}`);
  return { contract, method, path, body };
}

export const OPERATIONS = CONTRACTS.map(requestOf);
export const PROTECTED = OPERATIONS.filter(({ contract }) => contract.auth !== "none");
export const PUBLIC = OPERATIONS.filter(({ contract }) => contract.auth === "none");
export const WITH_BODY = OPERATIONS.filter(({ method }) => method === "POST");

/** Every path once, with the methods it answers. */
export const PATHS = [...new Set(OPERATIONS.map(({ path }) => path))].map((path) => {
  const methods = OPERATIONS.filter((one) => one.path === path).map(({ method }) => method);
  if (methods.includes("GET")) methods.push("HEAD");
  return { path, methods: [...methods, "OPTIONS"] };
});
