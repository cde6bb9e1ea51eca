import { z } from "zod";
import { AppError, UpstreamFault } from "../errors";
import type { Clock } from "../ports";
import { exchange } from "./exchange";
import { fetchJson, parseAnswer, refusal } from "./fetch-json";

export interface JsonRpcOptions {
  /** May carry a key in its path or query; it is never logged. */
  url: string;
  /** What the log calls it; `rpc` when absent. */
  upstream?: string;
  timeoutMs: number;
  clock: Clock;
}

export interface JsonRpc {
  /** The node's answer, its own errors included. @throws AppError upstream_* */
  ask(method: string, params: unknown[], maxBytes: number): Promise<z.infer<typeof Envelope>>;
  /** The checked result. @throws AppError upstream_*; or what `onError` makes of the node's error */
  call<T>(method: string, params: unknown[], result: z.ZodType<T>, options: CallOptions): Promise<T>;
  /** A fetch for web3.js's Connection, on the same sockets and with the same bounds and errors. */
  fetch: typeof fetch;
}

interface CallOptions {
  maxBytes: number;
  onError?: (error: RpcError) => AppError;
}

const RpcErrorShape = z.object({ code: z.number(), message: z.string().catch(""), data: z.unknown().optional() });
export type RpcError = z.infer<typeof RpcErrorShape>;

const Envelope = z.object({ result: z.unknown().optional(), error: RpcErrorShape.nullish() });

/** Answers of the methods that go through Connection are small. */
const CONNECTION_MAX_BYTES = 1_048_576;

/** JSON-RPC 2.0 over HTTP: one call, one POST. */
export function createJsonRpc({ url, upstream = "rpc", timeoutMs, clock }: JsonRpcOptions): JsonRpc {
  const target = new URL(url);
  const headers = { "content-type": "application/json" };

  const ask: JsonRpc["ask"] = (method, params, maxBytes) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    return fetchJson(target, { method: "POST", headers, body, upstream, timeoutMs, maxBytes, clock, schema: Envelope });
  };

  return {
    ask,

    async call(method, params, result, { maxBytes, onError = rpcFailure }) {
      const answer = await ask(method, params, maxBytes);
      if (answer.error) throw onError(answer.error);
      const parsed = result.safeParse(answer.result);
      if (!parsed.success)
        throw new AppError("upstream_invalid", { cause: new UpstreamFault(upstream, `${method} of another shape`) });
      return parsed.data;
    },

    async fetch(_url, init) {
      const bounds = { upstream, timeoutMs, maxBytes: CONNECTION_MAX_BYTES };
      const answer = await exchange(target, { method: "POST", headers, body: String(init?.body), ...bounds });
      if (answer.status !== 200) throw refusal(upstream, answer.status, answer.headers, clock);
      // Raised here because Connection loses the code of some errors and turns others into a zero.
      const { error } = parseAnswer(answer.text, Envelope, upstream);
      if (error) throw rpcFailure(error);
      return new Response(answer.text);
    },
  };
}

/** Errors of a node that is behind, overloaded or missing data for now, rather than of the request. */
const TRANSIENT = new Set([429, -32429, -32603, -32004, -32005, -32007, -32009, -32014, -32016]);

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
