import { z } from "zod";
import { untilCaughtUp } from "../../domain/catch-up";
import { AppError, createUpstreamError } from "../../errors";
import type { Clock } from "../../ports/clock";
import { OVERLOAD_RPC_CODES, TRANSIENT_RPC_CODES } from "../../solana/rpc-error-codes";
import { fetchJson } from "../http/fetch-json";

export interface JsonRpcOptions {
  /** May carry a key in its path or query; it is never logged. */
  url: string;
  upstream: string;
  timeoutMs: number;
  clock: Clock;
}

export interface RpcRequestOptions<T> {
  maxBytes: number;
  /** Reads the result out of a node's answer, including its errors. It may be called once for each node. */
  read: (answer: RpcAnswer) => T;
  /** False for a value that another node may answer better. The value counts if no node does. Absent: true. */
  isConclusive?: (value: T) => boolean;
}

/** @throws AppError upstream_*, or what `read` throws */
export type RpcRequest = <T>(method: string, params: unknown[], options: RpcRequestOptions<T>) => Promise<T>;

export interface JsonRpc {
  ask: RpcRequest;
  /** @throws AppError upstream_*, or the error that `toAppError` returns for the node's error */
  call<T>(method: string, params: unknown[], result: z.ZodType<T>, options?: CallOptions): Promise<T>;
}

interface CallOptions {
  /** The size limit of the answer; SMALL_ANSWER_BYTES when absent. */
  maxBytes?: number;
  toAppError?: (error: RpcError) => AppError;
}

export const SMALL_ANSWER_BYTES = 65_536;

const RpcErrorSchema = z.object({ code: z.number(), message: z.string().catch(""), data: z.unknown().optional() });
export type RpcError = z.infer<typeof RpcErrorSchema>;

export const RpcAnswerSchema = z.object({ result: z.unknown().optional(), error: RpcErrorSchema.nullish() });
export type RpcAnswer = z.infer<typeof RpcAnswerSchema>;

/** The runtime's error; null for a success. z.unknown() would accept an answer without `err` as a success. */
export const RuntimeError = z.union([z.null(), z.string(), z.record(z.string(), z.unknown())]);

export const JSON_HEADERS = { "content-type": "application/json" };
export const encodeRpcBody = (method: string, params: unknown[]) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });

/** Creates a JSON-RPC 2.0 client for one URL. Each call is one POST. */
export function createJsonRpc({ url, ...requestOptions }: JsonRpcOptions): JsonRpc {
  const targetUrl = new URL(url);
  return createJsonRpcFrom(async (method, params, { maxBytes, read }) => {
    const request = { method: "POST" as const, headers: JSON_HEADERS, body: encodeRpcBody(method, params), maxBytes };
    return read(await fetchJson(targetUrl, { ...request, ...requestOptions, schema: RpcAnswerSchema }));
  });
}

/** Repeats a call with `minContextSlot` until a node has reached that slot. @throws AppError upstream_* */
export async function callCaughtUpNode<T>(clock: Clock, call: () => Promise<T>): Promise<T> {
  let lagError: unknown;
  const callOnce = () =>
    call().then(
      (answer) => ({ answer }),
      (error) => {
        const isLag = error instanceof AppError && error.code === "upstream_unavailable";
        if (!isLag || error.details.retryAfterSeconds !== undefined) throw error;
        lagError = error;
        return null;
      },
    );
  const result = await untilCaughtUp(clock, callOnce, Boolean);
  if (!result) throw lagError;
  return result.answer;
}

export function createJsonRpcFrom(ask: RpcRequest): JsonRpc {
  return {
    ask,
    call: (method, params, result, { maxBytes = SMALL_ANSWER_BYTES, toAppError } = {}) =>
      ask(method, params, { maxBytes, read: createResultReader(method, result, toAppError) }),
  };
}

/** Creates the error of an answer that cannot be used. @param text follows "rpc" in the log */
export const createInvalidError = (text: string) => createUpstreamError("upstream_invalid", "rpc", text);

/** The reader throws upstream_invalid for an unexpected result, and what `toAppError` returns for the node's error. */
export function createResultReader<T>(method: string, schema: z.ZodType<T>, toAppError = toRpcError) {
  return ({ result, error }: RpcAnswer): T => {
    if (error) throw toAppError(error);
    const parsed = schema.safeParse(result);
    if (parsed.success) return parsed.data;
    throw createInvalidError(`returned an unexpected answer to ${method}`);
  };
}

export const isNodeBusy = ({ error }: RpcAnswer) => error != null && OVERLOAD_RPC_CODES.has(error.code);

/** Turns a node's error into an AppError: upstream_unavailable when a retry may help, else upstream_invalid. */
export function toRpcError({ code }: RpcError): AppError {
  const errorCode = TRANSIENT_RPC_CODES.has(code) ? "upstream_unavailable" : "upstream_invalid";
  return createUpstreamError(errorCode, "rpc", `error ${code}`);
}

/** A node refuses a transaction: preflight, signatures or a precompile failed, or the bytes cannot be decoded. */
const REFUSAL_CODES = [-32002, -32003, -32006, -32602];

/** For calls that carry a user's transaction. A rejected one is the user's error, not an upstream failure. */
export function toTransactionError(error: RpcError): AppError {
  if (!REFUSAL_CODES.includes(error.code)) return toRpcError(error);
  return new AppError("simulation_failed", { cause: toRpcError(error).cause });
}

/** Returns whether the node rejected a transaction only because it is on the chain already. */
export function isAlreadyProcessed({ message, data }: RpcError): boolean {
  const runtimeError = (data as { err?: unknown } | null | undefined)?.err;
  return runtimeError === "AlreadyProcessed" || /already.{0,6}processed/i.test(message);
}
