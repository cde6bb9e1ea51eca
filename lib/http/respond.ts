import { AppError, type ErrorDetails } from "../errors";
import type { Outgoing, ResponseHeaders } from "./message";

/**
 * On every answer. The API is callable from any page, without cookies. Below it is never the first member of an object:
 * V8 of Node 20 gives each object that begins with a spread and goes on a hidden class of its own, which takes some
 * microseconds and a kilobyte until the next full collection.
 */
export const COMMON = {
  "content-type": "application/json; charset=utf-8",
  "x-content-type-options": "nosniff",
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "x-request-id, retry-after, allow, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, ratelimit, ratelimit-policy",
};

interface Success {
  status: number;
  headers: ResponseHeaders;
  cacheControl: string;
}

export function respondData(data: unknown, options: Success & { bare: boolean }): Outgoing {
  return respondBody(JSON.stringify(options.bare ? data : { ok: true, data }), options);
}

/** @param body of an answer that was given before */
export function respondBody(body: string, { status, headers, cacheControl }: Success): Outgoing {
  return { status, headers: { "cache-control": cacheControl, ...COMMON, ...headers }, body };
}

/** The failure envelope. Anything but an AppError is our bug and says only that. */
export function respondError(thrown: unknown, requestId: string, headers: ResponseHeaders): Outgoing {
  const error = thrown instanceof AppError ? thrown : new AppError("internal");
  const { issues, txSignature, retryAfterSeconds, allow }: ErrorDetails = error.details;
  const body = { ok: false, error: error.message, code: error.code, requestId, issues, txSignature };
  return {
    status: error.status,
    headers: {
      "cache-control": "no-store",
      ...COMMON,
      ...headers,
      ...(retryAfterSeconds === undefined
        ? retryDefault(error.status)
        : { "retry-after": String(Math.ceil(retryAfterSeconds)) }),
      ...(allow === undefined ? {} : { allow }),
    },
    body: JSON.stringify(body),
  };
}

/** Every 503 says when to come back. */
function retryDefault(status: number): ResponseHeaders {
  return status === 503 ? { "retry-after": "5" } : {};
}

/** The answer to a CORS preflight and to a plain OPTIONS. */
export function respondOptions(allow: string, headers: ResponseHeaders): Outgoing {
  const { "content-type": _, ...common } = COMMON;
  return {
    status: 204,
    body: null,
    headers: {
      ...common,
      allow,
      "access-control-allow-methods": allow,
      "access-control-allow-headers": "content-type, x-wallet, x-signature, x-api-key",
      "access-control-max-age": "86400",
      "cache-control": "no-store",
      ...headers,
    },
  };
}
