// Contracts are imported as types only, which keeps zod out of the bundle.
import type { BodyOf, DataOf } from "../../contracts/define";
import type { CONTRACTS } from "../../contracts/index";
import type { OffchainForm } from "../../solana/offchain-message";
import { type Clock, type Fetch, rejectOnAbort } from "../platform";
import { ApiError } from "./api-error";

/**
 * The sign-in signature of a wallet. With Sign In With Solana, `x-siws-message` is the message that it signs. With an
 * off-chain message, `x-signature-form` names the version.
 */
export interface SignInCredentials {
  "x-wallet": string;
  "x-signature": string;
  "x-signature-form"?: OffchainForm;
  "x-siws-message"?: string;
}

export type Credentials = SignInCredentials | { "x-api-key": string };

type HttpMethod = "GET" | "POST" | "DELETE";
/** Accepts any text in place of each `{name}`, and any query. */
type FilledPath<Path extends string> = Path extends `${infer Before}{${string}}${infer After}`
  ? `${Before}${string}${FilledPath<After>}`
  : Path | `${Path}?${string}`;
export type PathOf<Method extends HttpMethod> = FilledPath<
  Extract<(typeof CONTRACTS)[number], { method: Method }>["path"]
>;

/** The contract of the operation at a path; never when the service has no such operation. */
export type ContractAt<
  Method,
  Path,
  Contract = Extract<(typeof CONTRACTS)[number], { method: Method }>,
> = Contract extends { path: infer Template extends string }
  ? Path extends FilledPath<Template>
    ? Contract
    : never
  : never;

export interface Abortable {
  /** Ends the call at once, even while it waits. The call throws the signal's reason, by default an `AbortError`. */
  signal?: AbortSignal;
}

export interface CallOptions extends Abortable {
  credentials?: Credentials;
}

/**
 * An HTTP client for one deployment, typed by path. Write a path with parameters as a template:
 * get(`/api/portfolio/${address}`). All methods throw ApiError. An aborted call throws the reason of its signal.
 */
export interface Calls {
  get<Path extends PathOf<"GET">>(path: Path, options?: CallOptions): Promise<DataOf<ContractAt<"GET", Path>>>;
  /** @param body may name a network; a service on any other network refuses the request */
  post<Path extends PathOf<"POST">>(
    path: Path,
    body: BodyOf<ContractAt<"POST", Path>> & { network?: string },
    options?: CallOptions,
  ): Promise<DataOf<ContractAt<"POST", Path>>>;
  delete<Path extends PathOf<"DELETE">>(path: Path, options?: CallOptions): Promise<DataOf<ContractAt<"DELETE", Path>>>;
}

export interface LimitOptions {
  /** Called for each rate-limited answer, before any wait. @param retryAfterMs until the service accepts a call */
  onLimit?: (retryAfterMs: number) => void;
  /** The longest total wait of one call for the rate limit, ms. A call that would wait longer throws `rate_limited`. */
  maxWaitMs?: number;
}

export interface ApiClientOptions extends LimitOptions {
  /** Base URL of the deployment; empty in the deployment's own pages. */
  baseUrl: string;
  fetch: Fetch;
  clock: Clock;
  /** Returns the credentials for calls that name none; null sends none. */
  credentials?: () => Credentials | null;
  /** Retries of a call that lost its connection; default 0. Calls that are unsafe to repeat are never retried. */
  retries?: number;
  /** As in `LimitOptions`; default 0: a rate-limited call fails at once. */
  maxWaitMs?: number;
  /** Aborts the calls that do not name a signal. */
  signal?: AbortSignal;
}

/** The defaults of `createClient` and `createRoundup`. */
export const DEFAULT_MAX_WAIT_MS = 10_000;
export const DEFAULT_RETRIES = 3;

interface CallRequest extends Abortable {
  method: HttpMethod;
  path: string;
  body?: unknown;
  credentials?: Credentials | null;
}

/** Paths that are not retried here: a repeated call could have a second effect, or `relay` handles the answers. */
const UNREPEATABLE_PATHS = new Set(["/api/keys/generate", "/api/sandbox/airdrop", "/api/swap/execute"]);
/** The wait before a retry when the service does not name a time, as after a lost connection, ms. */
const RETRY_WAIT_MS = 2_000;

export function createCalls(options: ApiClientOptions): Calls {
  const callApi = <Data>(method: HttpMethod, path: string, callOptions: CallOptions = {}, body?: unknown) => {
    const { credentials = options.credentials?.(), signal = options.signal } = callOptions;
    return callWithRetries<Data>(options, { method, path, body, credentials, signal });
  };
  return {
    get: (path, callOptions) => callApi("GET", path, callOptions),
    post: (path, body, callOptions) => callApi("POST", path, callOptions, body),
    delete: (path, callOptions) => callApi("DELETE", path, callOptions),
  };
}

async function callWithRetries<Data>(options: ApiClientOptions, request: CallRequest): Promise<Data> {
  const { clock, retries = 0, maxWaitMs = 0, onLimit = () => {} } = options;
  const { method, path, signal } = request;
  const waitDeadline = clock.now() + maxWaitMs;
  for (let retriesLeft = retries; ; ) {
    signal?.throwIfAborted();
    try {
      return await rejectOnAbort(callOnce<Data>(options, request), signal);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const waitMs = error.retryAfterMs ?? RETRY_WAIT_MS;
      // A rate-limited call has had no effect, so every operation can be repeated.
      if (error.code === "rate_limited") {
        onLimit(waitMs);
        if (clock.now() + waitMs > waitDeadline) throw error;
      } else {
        const isRepeatable = method !== "DELETE" && !UNREPEATABLE_PATHS.has(path);
        if (retriesLeft <= 0 || error.code !== "offline" || !isRepeatable) throw error;
        retriesLeft -= 1;
      }
      await rejectOnAbort(clock.sleep(waitMs), signal);
    }
  }
}

async function callOnce<Data>({ baseUrl, fetch: send }: ApiClientOptions, request: CallRequest): Promise<Data> {
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
  throw toApiError(response, answer);
}

type ErrorEnvelope = Pick<ApiError, "code"> & { error: string } & Partial<Pick<ApiError, "issues" | "txSignature">>;

/** Converts an error response. A response without the service's envelope, e.g. from a proxy, becomes `unreadable`. */
function toApiError({ status, headers }: Response, answer: Record<string, unknown> | null): ApiError {
  const retryAfter = Number(headers.get("retry-after")) || null;
  const details = { status, requestId: headers.get("x-request-id"), retryAfter };
  if (answer?.ok !== false || typeof answer.code !== "string" || typeof answer.error !== "string")
    return new ApiError("unreadable", "The service gave an answer that cannot be read.", details);
  const { code, error, issues, txSignature } = answer as unknown as ErrorEnvelope;
  return new ApiError(code, error, { ...details, issues, txSignature });
}
