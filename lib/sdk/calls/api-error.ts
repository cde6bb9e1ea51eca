import type { ErrorCode, Issue } from "../../errors";

export interface ApiErrorDetails {
  /** HTTP status; 0 when there was no response. */
  status?: number;
  requestId?: string | null;
  issues?: Issue[];
  /** Signature of the transaction that the failure concerns, base58. */
  txSignature?: string | null;
  /** Seconds to wait before a retry. */
  retryAfter?: number | null;
  cause?: unknown;
}

/**
 * A failed API call. `code` is one of the service's error codes. `offline` means that the request failed, and
 * `unreadable` that the response was not in the service's format.
 */
export class ApiError extends Error {
  readonly status: number;
  readonly requestId: string | null;
  readonly issues: Issue[];
  readonly txSignature: string | null;
  /** Seconds; null when the service named no time. */
  readonly retryAfter: number | null;

  constructor(
    readonly code: ErrorCode | "offline" | "unreadable",
    message: string,
    { status = 0, requestId = null, issues = [], txSignature = null, retryAfter = null, cause }: ApiErrorDetails = {},
  ) {
    super(message, { cause });
    this.name = "ApiError";
    this.status = status;
    this.requestId = requestId;
    this.issues = issues;
    this.txSignature = txSignature;
    this.retryAfter = retryAfter;
  }

  get retryAfterMs(): number | null {
    return this.retryAfter === null ? null : this.retryAfter * 1000;
  }
}
