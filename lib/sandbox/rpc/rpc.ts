import { type Json, RPC_CODES, RpcError } from "../chain/types";
import type { RpcContext, RpcMethod } from "./context";
import { accountMethods } from "./methods-accounts";
import { clusterMethods, sandboxMethods } from "./methods-cluster";
import { transactionMethods } from "./methods-transactions";
import { isObject } from "./params";

/** Calls one batch may hold. */
const MAX_BATCH = 1000;
/** Calls of a batch answered before other requests get their turn. */
const BATCH_SLICE = 25;

const METHODS: ReadonlyMap<string, RpcMethod> = new Map(
  Object.entries({ ...clusterMethods, ...accountMethods, ...transactionMethods, ...sandboxMethods }),
);

type Id = string | number | null;
export type RpcAnswer = { jsonrpc: "2.0"; id: Id } & ({ result: Json } | { error: Json });

/** An error answer. */
export function rpcFailure(id: Id, code: number, message: string, data?: Json): RpcAnswer {
  return { jsonrpc: "2.0", id, error: data === undefined ? { code, message } : { code, message, data } };
}

const isId = (value: unknown): value is Id =>
  value === null || typeof value === "string" || (typeof value === "number" && Number.isFinite(value));

/** @returns the answer; null for a notification, which gets none */
function answerOne(context: RpcContext, call: unknown, report: (error: unknown) => void): RpcAnswer | null {
  if (!isObject(call)) return rpcFailure(null, RPC_CODES.invalidRequest, "Invalid request");
  const id = isId(call.id) ? call.id : null;
  const { method, params = [] } = call;
  const malformed = call.jsonrpc !== "2.0" || typeof method !== "string" || ("id" in call && !isId(call.id));
  if (malformed) return rpcFailure(id, RPC_CODES.invalidRequest, "Invalid request");
  const answer = (): RpcAnswer => {
    const run = METHODS.get(method);
    if (!run) return rpcFailure(id, RPC_CODES.methodNotFound, "Method not found");
    if (!Array.isArray(params)) return rpcFailure(id, RPC_CODES.invalidParams, "Invalid params: a list is expected");
    try {
      return { jsonrpc: "2.0", id, result: run(context, params) };
    } catch (error) {
      if (error instanceof RpcError) return rpcFailure(id, error.code, error.message, error.data);
      report(error);
      return rpcFailure(id, RPC_CODES.internal, "Internal error");
    }
  };
  const answered = answer();
  return "id" in call ? answered : null;
}

/**
 * Answers one JSON-RPC request body, batches included.
 * @param report told of failures that are our own bugs
 * @returns null when there is nothing to answer (notifications only)
 */
export async function answerRpc(
  context: RpcContext,
  body: unknown,
  report: (error: unknown) => void,
): Promise<RpcAnswer | RpcAnswer[] | null> {
  if (!Array.isArray(body)) return answerOne(context, body, report);
  if (body.length === 0 || body.length > MAX_BATCH) {
    return rpcFailure(null, RPC_CODES.invalidRequest, `A batch holds 1 to ${MAX_BATCH} calls`);
  }
  const answers: RpcAnswer[] = [];
  for (const [index, call] of body.entries()) {
    if (index > 0 && index % BATCH_SLICE === 0) await new Promise((resolve) => setImmediate(resolve));
    const answer = answerOne(context, call, report);
    if (answer) answers.push(answer);
  }
  return answers.length > 0 ? answers : null;
}
