import { z } from "zod";
import { AppError, UpstreamFault } from "../../errors";
import type { Clock } from "../../ports/clock";
import { fetchJson } from "../http/fetch-json";

export interface JsonRpcOptions {
  /** May carry a key in its path or query; it is never logged. */
  url: string;
  /** What the log calls it. */
  upstream: string;
  timeoutMs: number;
  clock: Clock;
}

export interface AskOptions<T> {
  maxBytes: number;
  /** What the answer is worth, the node's own errors included; may be called again with another node's. */
  read: (answer: RpcAnswer) => T;
}

/** Asks for one answer. @throws AppError upstream_*, or what `read` throws */
export type Ask = <T>(method: string, params: unknown[], options: AskOptions<T>) => Promise<T>;

export interface JsonRpc {
  ask: Ask;
  /** The checked result. @throws AppError upstream_*; or what `onError` makes of the node's error */
  call<T>(method: string, params: unknown[], result: z.ZodType<T>, options: CallOptions): Promise<T>;
  /** A fetch for web3.js's Connection, with the same bounds and errors. */
  fetch: typeof fetch;
}

interface CallOptions {
  maxBytes: number;
  onError?: (error: RpcError) => AppError;
}

const RpcErrorShape = z.object({ code: z.number(), message: z.string().catch(""), data: z.unknown().optional() });
export type RpcError = z.infer<typeof RpcErrorShape>;

export const Envelope = z.object({ result: z.unknown().optional(), error: RpcErrorShape.nullish() });
export type RpcAnswer = z.infer<typeof Envelope>;

/** Answers of the methods that go through Connection are small. */
const CONNECTION_MAX_BYTES = 1_048_576;

export const JSON_HEADERS = { "content-type": "application/json" };
export const rpcBody = (method: string, params: unknown[]) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });

/** JSON-RPC 2.0 over HTTP with one node: one call, one POST. */
export function createJsonRpc({ url, ...rest }: JsonRpcOptions): JsonRpc {
  const target = new URL(url);
  return jsonRpcOver(async (method, params, { maxBytes, read }) => {
    const request = { method: "POST" as const, headers: JSON_HEADERS, body: rpcBody(method, params), maxBytes };
    return read(await fetchJson(target, { ...request, ...rest, schema: Envelope }));
  });
}

export function jsonRpcOver(ask: Ask): JsonRpc {
  return {
    ask,
    call: (method, params, result, { maxBytes, onError }) =>
      ask(method, params, { maxBytes, read: resultOf(method, result, onError) }),

    async fetch(_url, init) {
      const { id, method, params } = JSON.parse(String(init?.body));
      // Errors are raised here because Connection loses the code of some and turns others into a zero.
      const read = resultOf(method, z.unknown());
      const result = await ask(method, params, { maxBytes: CONNECTION_MAX_BYTES, read });
      return new Response(JSON.stringify({ jsonrpc: "2.0", id, result }));
    },
  };
}

/** @returns what reads the checked result out of an answer */
export function resultOf<T>(method: string, schema: z.ZodType<T>, onError = rpcFailure) {
  return ({ result, error }: RpcAnswer): T => {
    if (error) throw onError(error);
    const parsed = schema.safeParse(result);
    if (parsed.success) return parsed.data;
    throw new AppError("upstream_invalid", { cause: new UpstreamFault("rpc", `${method} of another shape`) });
  };
}

/** The node has too much to do, or is behind and says so; also how providers say that their quota is used up (Helius, QuickNode, Ankr). */
const BUSY = new Set([429, -32005, -32012, -32019, -32090, -32429]);
/** The node has not reached the slot that the request names, often by one slot only: no reason to leave the node alone. */
const BEHIND = -32016;

export const isBusy = ({ error }: RpcAnswer) => error != null && BUSY.has(error.code);

/** Errors of a node that is overloaded or missing data for now, rather than of the request. */
const TRANSIENT = new Set([...BUSY, BEHIND, -32603, -32004, -32007, -32009, -32014]);

/** Codes: RpcCustomError in agave/rpc-client-api/src/custom_error.rs, and JSON-RPC 2.0. */
export function rpcFailure({ code }: RpcError): AppError {
  const cause = new UpstreamFault("rpc", `error ${code}`);
  return new AppError(TRANSIENT.has(code) ? "upstream_unavailable" : "upstream_invalid", { cause });
}

/** As rpcFailure, for calls that carry a user's transaction: a node that will not have it refuses the user, not us. */
export function transactionFailure(error: RpcError): AppError {
  // -32002 preflight failed, -32003 signature verification failed, -32602 undecodable or not sane, -32006 precompile
  if (![-32002, -32003, -32006, -32602].includes(error.code)) return rpcFailure(error);
  return new AppError("simulation_failed", { cause: rpcFailure(error).cause });
}

/** Whether the node refused a transaction only because the chain has it already. */
export function isAlreadyProcessed({ message, data }: RpcError): boolean {
  const runtimeError = (data as { err?: unknown } | null | undefined)?.err;
  return runtimeError === "AlreadyProcessed" || /already.{0,6}processed/i.test(message);
}
