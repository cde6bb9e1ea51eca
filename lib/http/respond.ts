import { API_VERSION } from "../contracts/version";
import { AppError, toDocPath } from "../errors";
import type { OutgoingResponse, ResponseHeaders } from "./message";

/**
 * Headers of every answer. The API can be called from any page, without cookies.
 *
 * An object literal must not begin with `...COMMON_HEADERS`: Node 20's V8 would create a hidden class for each object,
 * which costs microseconds, and a kilobyte until the next full collection.
 */
export const COMMON_HEADERS = {
  "content-type": "application/json; charset=utf-8",
  "x-content-type-options": "nosniff",
  "roundup-version": API_VERSION,
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "x-request-id, roundup-version, retry-after, allow, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, ratelimit, ratelimit-policy",
};

interface SuccessOptions {
  status: number;
  headers: ResponseHeaders;
  cacheControl: string;
}

/** Returns a success: `data` in the envelope, or `data` alone if `hasNoEnvelope` is true. */
export function respondData(data: unknown, options: SuccessOptions & { hasNoEnvelope: boolean }): OutgoingResponse {
  return respondBody(JSON.stringify(options.hasNoEnvelope ? data : { ok: true, data }), options);
}

export function respondBody(body: string, { status, headers, cacheControl }: SuccessOptions): OutgoingResponse {
  return { status, headers: { "cache-control": cacheControl, ...COMMON_HEADERS, ...headers }, body };
}

/** Returns a failure in its envelope. Any error other than an AppError is a bug and becomes a plain `internal`. */
export function respondError(thrown: unknown, requestId: string, headers: ResponseHeaders): OutgoingResponse {
  const error = thrown instanceof AppError ? thrown : new AppError("internal");
  // A 503 always says when to retry: after 5 s, unless the error knows better.
  const { retryAfterSeconds = error.status === 503 ? 5 : undefined, allow } = error.details;
  return {
    status: error.status,
    headers: {
      "cache-control": "no-store",
      ...COMMON_HEADERS,
      ...headers,
      ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(Math.ceil(retryAfterSeconds)) }),
      ...(allow === undefined ? {} : { allow }),
    },
    body: encodeFailure(error, requestId),
  };
}

export function encodeFailure({ message: error, code, details }: AppError, requestId: string): string {
  const { issues, txSignature } = details;
  return JSON.stringify({ ok: false, error, code, docUrl: toDocPath(code), requestId, issues, txSignature });
}

export function respondOptions(allow: string, headers: ResponseHeaders): OutgoingResponse {
  const { "content-type": _, ...headersWithoutType } = COMMON_HEADERS;
  return {
    status: 204,
    body: null,
    headers: {
      ...headersWithoutType,
      allow,
      "access-control-allow-methods": allow,
      "access-control-allow-headers":
        "content-type, x-wallet, x-signature, x-signature-form, x-siws-message, x-api-key",
      "access-control-max-age": "86400",
      "cache-control": "no-store",
      ...headers,
    },
  };
}
