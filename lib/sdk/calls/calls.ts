import type { BodyOf, DataOf } from "../../contracts/define";
import type { Clock, Fetch } from "../world";
import { ApiError } from "./api-error";

export type Credentials = { "x-wallet": string; "x-signature": string } | { "x-api-key": string };

/** The data of a contract's success. Types only: no contract (and no zod) reaches the bundle. */
export type AnswerOf<C> = DataOf<C>;

/** One deployment's operations, typed by their contracts: `get<typeof getPricesContract>("/api/price")`. All throw ApiError. */
export interface Calls {
  get<C>(path: string, credentials?: Credentials): Promise<AnswerOf<C>>;
  /**
   * With the client's own credentials unless told otherwise, as `delete`.
   * @param body may name the network that it is meant for; every other one refuses it
   */
  post<C>(path: string, body: BodyOf<C> & { network?: string }, credentials?: Credentials): Promise<AnswerOf<C>>;
  delete<C>(path: string, credentials?: Credentials): Promise<AnswerOf<C>>;
}

export interface CallsOptions {
  /** Of the deployment, without a slash at its end; empty in its own pages. */
  baseUrl: string;
  fetch: Fetch;
  clock: Clock;
  credentials?: () => Credentials | null;
  /** How often a call that met the limit or lost its connection is made again, where that is safe; default 0. */
  retries?: number;
  /** Hears for how many seconds the limit is waited for: with it, what met the limit is called again until it is taken. */
  onLimit?: (seconds: number) => void;
}

interface Request {
  method: "GET" | "POST" | "DELETE";
  path: string;
  body?: unknown;
  credentials?: Credentials | null;
}

/** The first two do something anew when they are called again; what a repeated relay means, only `relay` knows. */
const ONCE = new Set(["/api/keys/generate", "/api/sandbox/airdrop", "/api/swap/execute"]);
/** The limit counts the last 60 s: longer waits are not the limit's. */
const LONGEST_WAIT_S = 60;
const LOST_CONNECTION_WAIT_S = 2;
/** Who shares the address may use up the next minute too. */
const PATIENCE_MS = 180_000;

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

/** Seconds until the same call may be made again; null when it must not. A refusal by the limit has done nothing. */
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
      // The sign-in travels in a header, which a redirect would take to another place.
      redirect: "error",
    });
  } catch (cause) {
    throw new ApiError("offline", "The service cannot be reached. Check your connection.", { cause });
  }
  const answer = await response.json().catch(() => null);
  if (answer?.ok === true) return answer.data;
  throw failureOf(response, answer);
}

/** Only our own envelope is the service's word; what a proxy or anybody else says in between is `unreadable`. */
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
