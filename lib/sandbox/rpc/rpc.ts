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
function answerOne(
  contextOf: (method: string) => RpcContext,
  call: unknown,
  report: (error: unknown) => void,
): RpcAnswer | null {
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
      return { jsonrpc: "2.0", id, result: run(contextOf(method), params) };
    } catch (error) {
      if (error instanceof RpcError) return rpcFailure(id, error.code, error.message, error.data);
      report(error);
      return rpcFailure(id, RPC_CODES.internal, "Internal error");
    }
  };
  const answered = answer();
  return "id" in call ? answered : null;
}

/** An answer that never reached its caller. */
export const LOST = Symbol("lost");

/**
 * Answers one JSON-RPC request body, batches included; all of it by one node where a pool is staged.
 * @param report told of failures that are our own bugs
 * @returns null when there is nothing to answer (notifications only), LOST when the connection is to be cut instead
 */
export async function answerRpc(
  context: RpcContext,
  body: unknown,
  report: (error: unknown) => void,
): Promise<RpcAnswer | RpcAnswer[] | null | typeof LOST> {
  const node = context.faults.pool?.next();
  const seen = node ? { ...context, chain: node.chain } : context;
  let sent = false;
  const contextOf = (method: string) => {
    sent ||= method === "sendTransaction";
    // The switches work on the chain itself.
    return method.startsWith("sandbox_") ? context : seen;
  };
  const answer = Array.isArray(body) ? await answerBatch(contextOf, body, report) : answerOne(contextOf, body, report);
  return sent && node?.losesAnswer() ? LOST : answer;
}

async function answerBatch(
  contextOf: (method: string) => RpcContext,
  calls: unknown[],
  report: (error: unknown) => void,
): Promise<RpcAnswer | RpcAnswer[] | null> {
  if (calls.length === 0 || calls.length > MAX_BATCH) {
    return rpcFailure(null, RPC_CODES.invalidRequest, `A batch holds 1 to ${MAX_BATCH} calls`);
  }
  const answers: RpcAnswer[] = [];
  for (const [index, call] of calls.entries()) {
    if (index > 0 && index % BATCH_SLICE === 0) await new Promise((resolve) => setImmediate(resolve));
    const answer = answerOne(contextOf, call, report);
    if (answer) answers.push(answer);
  }
  return answers.length > 0 ? answers : null;
}
