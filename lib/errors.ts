/**
 * All errors that the API can answer. A code is stable and never reused. The sentence is shown to people unless the
 * thrown error carries a more exact message.
 */
export const ERRORS = {
  invalid_json: [400, "The request body is not valid JSON."],
  invalid_request: [400, "The request is not valid; see issues."],
  invalid_address: [400, "That is not a usable Solana wallet address."],
  wallets_equal: [400, "The user wallet and the savings wallet must be two different wallets."],
  wallet_not_allowed: [400, "That address belongs to the service and cannot be used as a wallet here."],
  wallet_required: [400, "Say whose wallet this is: send `wallet` in the body or the x-wallet header."],
  network_mismatch: [400, "This deployment serves another network than the one the request names."],
  invalid_transaction: [400, "The transaction could not be read."],
  transaction_not_signed: [400, "The transaction lacks a valid signature of every required signer."],
  credentials_missing: [401, "Send x-wallet and x-signature, or x-api-key. GET /api/auth says what to sign."],
  credentials_invalid: [401, "The credentials are not valid."],
  fee_missing: [403, "A transfer into a savings wallet must carry the service fee that POST /api/wrap builds."],
  not_found: [404, "There is nothing at this address."],
  method_not_allowed: [405, "This endpoint does not support that method; see the Allow header."],
  request_timeout: [408, "The request did not arrive in time."],
  too_many_keys: [409, "This wallet already has 10 live API keys; revoke one first."],
  already_saved: [409, "This was saved already, or is being saved right now by another transaction."],
  allowance_missing: [
    409,
    "The wallet allows this savings wallet less USDC than the saving takes. Build a new allowance, or sign with the wallet.",
  ],
  delegate_exists: [
    409,
    "Something else may already take USDC from the wallet's account, and an allowance would end that. Saving with signatures still works.",
  ],
  usdc_account_unusable: [409, "The wallet has no USDC account that can be used. Receive USDC first."],
  body_too_large: [413, "The request body is larger than 16 KiB."],
  unsupported_media_type: [415, "Send the body as Content-Type: application/json."],
  wrong_text_signed: [
    422,
    "The signature is not over the text this endpoint asks for; GET the same path for the text.",
  ],
  transaction_expired: [422, "The transaction's blockhash has expired; build it again, sign it and send it."],
  simulation_failed: [422, "The network would refuse this transaction, so it was not sent."],
  transaction_failed: [422, "The transaction reached the chain and failed there."],
  no_route: [422, "No swap route was found for this amount and asset."],
  rate_limited: [429, "Too many requests: 60 a minute are allowed per address. Retry-After says when to go on."],
  headers_too_large: [431, "The request's path and headers are larger than 16 KiB."],
  internal: [500, "Something went wrong on our side. Quote the requestId if you report it."],
  upstream_invalid: [502, "A service we depend on gave an answer we could not use. Try again shortly."],
  upstream_unavailable: [503, "A service we depend on is not reachable. Try again shortly."],
  price_stale: [503, "No fresh price is available right now. Try again shortly."],
  service_not_ready: [503, "The service cannot do this right now. Try again shortly."],
  upstream_timeout: [504, "A service we depend on took too long to answer. Try again shortly."],
} as const satisfies Record<string, readonly [status: number, sentence: string]>;

export type ErrorCode = keyof typeof ERRORS;

/** Returns the path of the page that explains a code, on the service's own origin. */
export const toDocPath = (code: ErrorCode) => `/docs/errors#${code}`;

/** An invalid field of a request. */
export interface Issue {
  /** The names from the outermost field to the invalid one, joined by dots. */
  path: string;
  message: string;
}

export interface ErrorDetails {
  /** Replaces the code's default sentence. */
  message?: string;
  issues?: Issue[];
  /** Seconds to wait before a retry. Sent as Retry-After. */
  retryAfterSeconds?: number;
  /** Signature of the transaction that failed, base58. */
  txSignature?: string;
  /** Sent as the Allow header. */
  allow?: string;
  /** For the log only; never sent to the caller. */
  cause?: unknown;
}

/**
 * The reason why an upstream could not be used, which is safe to log. It never holds the upstream's text or URL,
 * because both may contain keys.
 */
export class UpstreamFault extends Error {
  override readonly name = "UpstreamFault";
  /** @param failure the HTTP status, or the kind of failure */
  constructor(
    upstream: string,
    readonly failure: string | number,
  ) {
    super(`${upstream} ${failure}`);
  }
}

/** The upstream refuses the configured key, or a right that the key needs. A retry cannot help. */
export class KeyRefusedFault extends UpstreamFault {}

const BRAND = Symbol.for("roundup.app-error");

/** A planned failure of a request. Every other error that a request throws is a bug and becomes a 500 without details. */
export class AppError extends Error {
  readonly [BRAND] = true;

  /** Compares the brand and not the class, because one process may load this module twice. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && BRAND in value;
  }

  readonly status: number;
  constructor(
    readonly code: ErrorCode,
    readonly details: ErrorDetails = {},
  ) {
    const [status, sentence] = ERRORS[code];
    super(details.message ?? sentence, { cause: details.cause });
    this.name = "AppError";
    this.status = status;
  }
}

/** Joins a field's name and its fault, which may continue the name to a sentence. Has no full stop. */
export function describeIssue({ path, message }: Issue): string {
  if (path === "") return message;
  return /^(is|must|has|names|requires|does) /.test(message) ? `${path} ${message}` : `${path}: ${message}`;
}

/** Creates the error of a field with a wrong value. @param fault follows the field's name; it has no full stop */
export const createFieldError = (path: string, fault: string) =>
  new AppError("invalid_request", {
    message: `${describeIssue({ path, message: fault })}.`,
    issues: [{ path, message: fault }],
  });

/** Creates the error of an upstream that could not be used. @param failure for the log, after the upstream's name */
export const createUpstreamError = (code: ErrorCode, upstream: string, failure: string | number) =>
  new AppError(code, { cause: new UpstreamFault(upstream, failure) });

/** Awaits a call. Returns null if it fails with an AppError. Rethrows every other error, because it is a bug. */
export async function awaitOrNull<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
