import { Keypair } from "@solana/web3.js";
import { expect } from "vitest";
import { sendRequest } from "../../../lib/clients/http/send-request";
import type { AccountState } from "../../../lib/domain/chain-accounts";
import { AppError, ERRORS } from "../../../lib/errors";
import { toBase64 } from "../../../lib/solana/bytes";
import { TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { createStagedNodes } from "./staged-nodes";
import { answerJson, type Stage, type StagedServer } from "./staged-server";

/* Creates answers and faults of a Solana node, to stage on a staged server. */

interface RpcCall {
  method: string;
  params: unknown[];
  id: unknown;
}

/** A part of the node's address and of its error texts that must never reach an answer or a log. */
export const SECRET = "secret-token";

/** The context of every staged answer. */
export const STAGED_CONTEXT = { slot: 7 };

/** Returns the address of a new key pair. */
export const createAddress = () => Keypair.generate().publicKey.toBase58();

/** Parses a request as a JSON-RPC call. */
export const parseCall = ({ body }: { body: string }) => JSON.parse(body) as RpcCall;

/** Answers each method with its result from the table. */
export function answerResults(table: Record<string, unknown>): Stage {
  return (request, response) => {
    const { method, id } = parseCall(request);
    answerJson({ jsonrpc: "2.0", id, result: table[method] })(request, response);
  };
}

/** Answers every call with this JSON-RPC error. */
export function answerRpcError(code: number, message: string, data?: unknown): Stage {
  return (request, response) => {
    answerJson({ jsonrpc: "2.0", id: parseCall(request).id, error: { code, message, data } })(request, response);
  };
}

/** Uses one stage per request, in order, and repeats the last stage. */
export function answerInTurn(...stages: Stage[]): Stage {
  return (request, response) => (stages.length > 1 ? stages.shift()! : stages[0]!)(request, response);
}

type Account = Omit<AccountState, "lamports"> & { lamports: bigint | number };

/** Encodes an account in the node's JSON format. Null is an account that does not exist. */
export const encodeAccount = (account: Account | null) =>
  account && {
    lamports: Number(account.lamports),
    owner: account.owner,
    data: [toBase64(account.data), "base64"],
    executable: false,
    rentEpoch: 18446744073709552000,
    space: account.data.length,
  };

/** Creates an account in the node's JSON format. Its data are the bytes 1, 2 and 3. */
export const createAccountJson = (lamports: number) =>
  encodeAccount({ lamports, owner: TOKEN_PROGRAM, data: Uint8Array.of(1, 2, 3) });

/** Answers getMultipleAccounts with accounts of these lamports. `null` is an account that does not exist. */
export const answerAccounts = (...lamports: (number | null)[]) =>
  answerResults({
    getMultipleAccounts: {
      context: STAGED_CONTEXT,
      value: lamports.map((value) => (value === null ? null : createAccountJson(value))),
    },
  });

/** Creates a client of the staged node. The node's address contains a key. */
export const createRpcClient = (node: StagedServer) =>
  createStagedNodes({}, { readUrls: [`${node.url}/?api-key=${SECRET}`], timeoutMs: 20_000, transport: sendRequest });

/** Returns the AppError with which `pending` fails. Checks that its message is the service's sentence for the code. */
export async function catchAppError(pending: Promise<unknown>): Promise<AppError> {
  const error = await pending.then(
    () => expect.unreachable("the call succeeded"),
    (error) => error,
  );
  expect(error).toBeInstanceOf(AppError);
  expect(error.message).toBe(ERRORS[(error as AppError).code][1]);
  return error;
}
