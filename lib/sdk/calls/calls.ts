import type { BodyOf, DataOf } from "../../contracts/define";
import type { CONTRACTS } from "../../contracts/index";
import { rejectOnAbort } from "../abort";
import type { Clock, Fetch } from "../world";
import { ApiError } from "./api-error";

/** The sign-in signature of a wallet. With Sign In With Solana, `x-siws-message` is the message that it signs. */
export interface SignInCredentials {
  "x-wallet": string;
  "x-signature": string;
  "x-siws-message"?: string;
}

export type Credentials = SignInCredentials | { "x-api-key": string };

/** The data of a successful response. Contracts are imported as types only, which keeps zod out of the bundle. */
export type AnswerOf<C> = DataOf<C>;

type Method = "GET" | "POST" | "DELETE";
type AnyContract = (typeof CONTRACTS)[number];
/** Any text in place of each `{name}`, and any query. */
type FilledPath<Path extends string> = Path extends `${infer Before}{${string}}${infer After}`
  ? `${Before}${string}${FilledPath<After>}`
  : Path | `${Path}?${string}`;
type OfMethod<M extends Method> = Extract<AnyContract, { method: M }>;

/** Every path that the service has for a method. */
export type PathOf<M extends Method> = FilledPath<OfMethod<M>["path"]>;

/** The contract of the operation at a path. */
type ContractAt<M extends Method, Path extends string, C = OfMethod<M>> = C extends {
  path: infer Template extends string;
}
  ? Path extends FilledPath<Template>
    ? C
    : never
  : never;

/** Options of a call that a caller can stop. */
export interface Abortable {
  /** Ends the call at once, even while it waits. The call throws the signal's reason, by default an `AbortError`. */
  signal?: AbortSignal;
}

export interface CallOptions extends Abortable {
  credentials?: Credentials;
}

/**
 * An HTTP client for one deployment, typed by path: `get("/api/price")` returns the data of that operation. Write a path
 * with parameters as a template: get(`/api/portfolio/${address}`). All methods throw ApiError.
 */
export interface Calls {
  get<P extends PathOf<"GET">>(path: P, options?: CallOptions): Promise<DataOf<ContractAt<"GET", P>>>;
  /** @param body may name a network; a service on any other network refuses the request */
  post<P extends PathOf<"POST">>(
    path: P,
    body: BodyOf<ContractAt<"POST", P>> & { network?: string },
    options?: CallOptions,
  ): Promise<DataOf<ContractAt<"POST", P>>>;
  delete<P extends PathOf<"DELETE">>(path: P, options?: CallOptions): Promise<DataOf<ContractAt<"DELETE", P>>>;
}

/** How a client treats the service's rate limit. */
export interface LimitOptions {
  /** Called for each rate-limited answer, before any wait. @param retryAfterMs when the service accepts the call */
  onLimit?: (retryAfterMs: number) => void;
  /** How long one call may wait for the rate limit in all. A longer wait is the error `rate_limited`, at once. */
  maxWaitMs?: number;
}

export interface CallsOptions extends LimitOptions {
  /** Base URL of the deployment; empty in the deployment's own pages. */
  baseUrl: string;
  fetch: Fetch;
  clock: Clock;
  /** Returns the credentials for calls that name none. */
  credentials?: () => Credentials | null;
  /** Retries of a call that lost its connection, when a retry is safe; default 0. */
  retries?: number;
  /** Default 0: a rate-limited call fails at once. */
  maxWaitMs?: number;
  /** Aborts every call of this client. */
  signal?: AbortSignal;
}

/** How long the SDK waits for the rate limit by default, ms. */
export const DEFAULT_MAX_WAIT_MS = 10_000;

interface Request {
  method: Method;
  path: string;
  body?: unknown;
  credentials?: Credentials | null;
  signal?: AbortSignal;
}

/** Paths that are not idempotent. Only `relay` knows what a repeated execution means. */
const UNREPEATABLE_PATHS = new Set(["/api/keys/generate", "/api/sandbox/airdrop", "/api/swap/execute"]);
/** Wait before a retry when the service names no time, as after a lost connection. */
const RETRY_WAIT_MS = 2_000;

/** Creates an HTTP client for one deployment. */
export function createCalls(options: CallsOptions): Calls {
  const { credentials = () => null, signal } = options;
  const call = <T>(method: Method, path: string, callOptions: CallOptions = {}, body?: unknown) => {
    const sent = { credentials: callOptions.credentials ?? credentials(), signal: callOptions.signal ?? signal };
    return callWithRetries<T>(options, { method, path, body, ...sent });
  };
  return {
    get: (path, own) => call("GET", path, own),
    post: (path, body, own) => call("POST", path, own, body),
    delete: (path, own) => call("DELETE", path, own),
  };
}

async function callWithRetries<T>(options: CallsOptions, request: Request): Promise<T> {
  const { clock, retries = 0, maxWaitMs = 0, onLimit = () => {} } = options;
  const { signal } = request;
  const until = clock.now() + maxWaitMs;
  for (let left = retries; ; ) {
    signal?.throwIfAborted();
    try {
      return await rejectOnAbort(callOnce<T>(options, request), signal);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const waitMs = error.retryAfterMs ?? RETRY_WAIT_MS;
      // A rate-limited call has had no effect, so that every operation can be repeated.
      if (error.code === "rate_limited") {
        onLimit(waitMs);
        if (clock.now() + waitMs > until) throw error;
      } else {
        if (left <= 0 || !isRepeatable(error, request)) throw error;
        left -= 1;
      }
      await rejectOnAbort(clock.sleep(waitMs), signal);
    }
  }
}

/** Returns whether a call that may have reached the service can be repeated. */
const isRepeatable = ({ code }: ApiError, { method, path }: Request): boolean =>
  code === "offline" && method !== "DELETE" && !UNREPEATABLE_PATHS.has(path);

async function callOnce<T>({ baseUrl, fetch: send }: CallsOptions, request: Request): Promise<T> {
  const { method, path, body, credentials, signal } = request;
  let response: Response;
  try {
    response = await send(baseUrl.replace(/\/+$/, "") + path, {
      method,
      headers: { ...credentials, ...(body !== undefined && { "content-type": "application/json" }) },
      body: body === undefined ? undefined : JSON.stringify(body),
      // A redirect would send the credential headers to another host.
      redirect: "error",
      ...(signal && { signal }),
    });
  } catch (cause) {
    throw new ApiError("offline", "The service cannot be reached. Check your connection.", { cause });
  }
  const answer = await response.json().catch(() => null);
  if (answer?.ok === true) return answer.data;
  throw toFailure(response, answer);
}

/** Converts an error response. A response without the service's envelope, e.g. from a proxy, becomes `unreadable`. */
function toFailure({ status, headers }: Response, answer: Record<string, unknown> | null): ApiError {
  const requestId = headers.get("x-request-id");
  const retryAfter = Number(headers.get("retry-after")) || null;
  if (answer?.ok !== false || typeof answer.code !== "string" || typeof answer.error !== "string") {
    const message = "The service gave an answer that cannot be read.";
    return new ApiError("unreadable", message, { status, requestId, retryAfter });
  }
  const { code, error, issues, txSignature } = answer as unknown as Envelope;
  return new ApiError(code, error, { status, requestId, issues, txSignature, retryAfter });
}

type Envelope = Pick<ApiError, "code"> & { error: string } & Partial<Pick<ApiError, "issues" | "txSignature">>;
