import type { BodyOf, DataOf } from "../../contracts/define";
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

/**
 * An HTTP client for one deployment, typed by contracts: `get<typeof getPricesContract>("/api/price")`.
 * All methods throw ApiError.
 */
export interface Calls {
  get<C>(path: string, credentials?: Credentials): Promise<AnswerOf<C>>;
  /**
   * Sends the client's own credentials by default, as `delete` does.
   * @param body may name a network; a service on any other network refuses the request
   */
  post<C>(path: string, body: BodyOf<C> & { network?: string }, credentials?: Credentials): Promise<AnswerOf<C>>;
  delete<C>(path: string, credentials?: Credentials): Promise<AnswerOf<C>>;
}

export interface CallsOptions {
  /** Base URL of the deployment, without a trailing slash; empty in the deployment's own pages. */
  baseUrl: string;
  fetch: Fetch;
  clock: Clock;
  credentials?: () => Credentials | null;
  /** Retries of a call that was rate-limited or lost its connection, when a retry is safe; default 0. */
  retries?: number;
  /**
   * Called with the seconds to wait for the rate limit. When it is set, rate-limited calls are retried for up to
   * three minutes, regardless of `retries`.
   */
  onLimit?: (seconds: number) => void;
}

interface Request {
  method: "GET" | "POST" | "DELETE";
  path: string;
  body?: unknown;
  credentials?: Credentials | null;
}

/** Paths that are not idempotent. Only `relay` knows what a repeated execution means. */
const ONCE = new Set(["/api/keys/generate", "/api/sandbox/airdrop", "/api/swap/execute"]);
/** The rate limit covers the last 60 s, so it never requires a longer wait. */
const LONGEST_WAIT_S = 60;
const LOST_CONNECTION_WAIT_S = 2;
/** Clients that share the IP address may use up the next minute's quota too, so allow several minutes. */
const PATIENCE_MS = 180_000;

/** Creates an HTTP client for one deployment. */
export function createCalls(options: CallsOptions): Calls {
  const { credentials = () => null } = options;
  return {
    get: (path, own) => callWithRetries(options, { method: "GET", path, credentials: own }),
    post: (path, body, own) =>
      callWithRetries(options, { method: "POST", path, body, credentials: own === undefined ? credentials() : own }),
    delete: (path, own) =>
      callWithRetries(options, { method: "DELETE", path, credentials: own === undefined ? credentials() : own }),
  };
}

async function callWithRetries<T>(options: CallsOptions, request: Request): Promise<T> {
  const { clock, retries = 0, onLimit } = options;
  const until = clock.now() + PATIENCE_MS;
  for (let left = retries; ; ) {
    try {
      return await callOnce(options, request);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const wait = waitBefore(error, request);
      const isHeard = onLimit !== undefined && error.code === "rate_limited" && clock.now() < until;
      if (wait === null || (left <= 0 && !isHeard)) throw error;
      if (isHeard) onLimit(wait);
      else left -= 1;
      await clock.sleep(wait * 1000);
    }
  }
}

/** Returns the seconds to wait before a retry; null when a retry is unsafe. A rate-limited call has had no effect. */
function waitBefore({ code, retryAfter }: ApiError, { method, path }: Request): number | null {
  if (code === "rate_limited") return Math.min(retryAfter ?? LOST_CONNECTION_WAIT_S, LONGEST_WAIT_S);
  const repeatable = method !== "DELETE" && !ONCE.has(path);
  return code === "offline" && repeatable ? LOST_CONNECTION_WAIT_S : null;
}

async function callOnce<T>(
  { baseUrl, fetch: send }: CallsOptions,
  { method, path, body, credentials }: Request,
): Promise<T> {
  let response: Response;
  try {
    response = await send(baseUrl + path, {
      method,
      headers: { ...credentials, ...(body !== undefined && { "content-type": "application/json" }) },
      body: body === undefined ? undefined : JSON.stringify(body),
      // A redirect would send the credential headers to another host.
      redirect: "error",
    });
  } catch (cause) {
    throw new ApiError("offline", "The service cannot be reached. Check your connection.", { cause });
  }
  const answer = await response.json().catch(() => null);
  if (answer?.ok === true) return answer.data;
  throw failureOf(response, answer);
}

/** Converts an error response. A response without the service's envelope, e.g. from a proxy, becomes `unreadable`. */
function failureOf({ status, headers }: Response, answer: Record<string, unknown> | null): ApiError {
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
