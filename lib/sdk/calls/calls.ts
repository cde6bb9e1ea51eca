import type { z } from "zod";
import type { Contract } from "../../contracts/define";
import type { ErrorCode, Issue } from "../../errors";

/** The API's answer as a failure the page can explain. `offline` and `unreadable` never reached our envelope. */
export class ApiError extends Error {
  constructor(
    readonly code: ErrorCode | "offline" | "unreadable",
    message: string,
    readonly status: number,
    readonly requestId: string | null,
    readonly issues: Issue[] = [],
    readonly txSignature: string | null = null,
    /** Seconds. */
    readonly retryAfter: number | null = null,
  ) {
    super(message);
    this.name = "ApiError";
  }
}

export type Credentials = { "x-wallet": string; "x-signature": string } | { "x-api-key": string };

/** Types only: no contract (and no zod) reaches the bundle. */
type BodyOf<C> = C extends Contract<z.ZodType, z.ZodType, infer B, z.ZodType> ? z.input<B> : never;
/** The data of a contract's success. */
export type AnswerOf<C> = C extends Contract<z.ZodType, z.ZodType, z.ZodType, infer D> ? z.output<D> : never;

interface RequestOptions {
  method?: "GET" | "POST" | "DELETE";
  body?: unknown;
  credentials?: Credentials;
  signal?: AbortSignal;
}

/** Reads: `getJson<typeof getPricesContract>("/api/price")`. @throws {ApiError} */
export function getJson<C>(path: string, credentials?: Credentials): Promise<AnswerOf<C>> {
  return request(path, { credentials });
}

/** Writes: the body's and the answer's types are the contract's. @throws {ApiError} */
export function postJson<C>(path: string, body: BodyOf<C>, credentials?: Credentials): Promise<AnswerOf<C>> {
  return request(path, { method: "POST", body, credentials });
}

/** @throws {ApiError} */
export function deleteJson<C>(path: string, credentials?: Credentials): Promise<AnswerOf<C>> {
  return request(path, { method: "DELETE", credentials });
}

async function request<T>(path: string, { method = "GET", body, credentials, signal }: RequestOptions): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      signal,
      headers: { ...credentials, ...(body !== undefined && { "content-type": "application/json" }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new ApiError("offline", "The service cannot be reached. Check your connection.", 0, null);
  }
  const requestId = response.headers.get("x-request-id");
  const answer = await response.json().catch(() => null);
  if (answer?.ok === true) return answer.data;
  if (typeof answer?.code !== "string") {
    throw new ApiError("unreadable", "The service gave an answer this page cannot read.", response.status, requestId);
  }
  const retryAfter = Number(response.headers.get("retry-after"));
  throw new ApiError(
    answer.code,
    answer.error,
    response.status,
    requestId,
    answer.issues,
    answer.txSignature ?? null,
    retryAfter > 0 ? retryAfter : null,
  );
}
