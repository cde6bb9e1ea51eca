import { type Json, RPC_CODES, RpcError } from "../chain/types";
import type { RpcContext, RpcMethod } from "./context";
import { accountMethods } from "./methods-accounts";
import { blockMethods } from "./methods-blocks";
import { clusterMethods, sandboxMethods } from "./methods-cluster";
import { transactionMethods } from "./methods-transactions";
import { isObject } from "./params";

const MAX_BATCH_CALLS = 1000;

const METHODS: ReadonlyMap<string, RpcMethod> = new Map(
  Object.entries({ ...clusterMethods, ...accountMethods, ...blockMethods, ...transactionMethods, ...sandboxMethods }),
);

type CallId = string | number | null;
export type RpcAnswer = { jsonrpc: "2.0"; id: CallId } & ({ result: Json } | { error: Json });

export function toRpcFailure(id: CallId, code: number, message: string, data?: Json): RpcAnswer {
  return { jsonrpc: "2.0", id, error: data === undefined ? { code, message } : { code, message, data } };
}

const isCallId = (value: unknown): value is CallId =>
  value === null || typeof value === "string" || (typeof value === "number" && Number.isFinite(value));

/** Answers one call. @returns null for a notification, which gets no answer */
function answerCall(context: RpcContext, call: unknown, reportError: (error: unknown) => void): RpcAnswer | null {
  if (!isObject(call)) return toRpcFailure(null, RPC_CODES.invalidRequest, "Invalid request");
  const id = isCallId(call.id) ? call.id : null;
  const { method, params = [] } = call;
  const isMalformed = call.jsonrpc !== "2.0" || typeof method !== "string" || ("id" in call && !isCallId(call.id));
  if (isMalformed) return toRpcFailure(id, RPC_CODES.invalidRequest, "Invalid request");
  const answerValidCall = (): RpcAnswer => {
    const runMethod = METHODS.get(method);
    if (!runMethod) return toRpcFailure(id, RPC_CODES.methodNotFound, "Method not found");
    if (!Array.isArray(params)) return toRpcFailure(id, RPC_CODES.invalidParams, "Invalid params: a list is expected");
    try {
      return { jsonrpc: "2.0", id, result: runMethod(context, params) };
    } catch (error) {
      if (error instanceof RpcError) return toRpcFailure(id, error.code, error.message, error.data);
      reportError(error);
      return toRpcFailure(id, RPC_CODES.internal, "Internal error");
    }
  };
  const answer = answerValidCall();
  return "id" in call ? answer : null;
}

/**
 * Answers one JSON-RPC request body, including batches.
 * @param reportError called with failures that are bugs of the sandbox
 * @returns null when there is no answer (notifications only)
 */
export async function answerRpc(
  context: RpcContext,
  body: unknown,
  reportError: (error: unknown) => void,
): Promise<RpcAnswer | RpcAnswer[] | null> {
  if (!Array.isArray(body)) return answerCall(context, body, reportError);
  if (body.length === 0 || body.length > MAX_BATCH_CALLS)
    return toRpcFailure(null, RPC_CODES.invalidRequest, `A batch holds 1 to ${MAX_BATCH_CALLS} calls`);
  const answers = body.flatMap((call) => answerCall(context, call, reportError) ?? []);
  return answers.length > 0 ? answers : null;
}

/** The rent epoch of a rent-exempt account, 2^64 - 1, as JavaScript writes it and as a cluster does. */
const ROUNDED_RENT_EPOCH = `"rentEpoch":${JSON.stringify(2 ** 64)}`;
const EXACT_RENT_EPOCH = '"rentEpoch":18446744073709551615';

/**
 * Encodes an answer as JSON. Writes the digits of the rent epoch, which no JavaScript number holds. The text cannot
 * occur inside a string, where JSON escapes the quotation marks.
 */
export function encodeJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(ROUNDED_RENT_EPOCH, EXACT_RENT_EPOCH);
}
