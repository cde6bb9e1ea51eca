import type { ErrorCode, Issue } from "../../errors";

type ApiErrorDetails = Partial<
  Pick<ApiError, "status" | "requestId" | "issues" | "txSignature" | "retryAfter" | "cause">
>;

/**
 * A failed API call. `code` is one of the service's error codes, or one of two codes of this client: `offline` when the
 * service could not be reached, and `unreadable` when the response was not in the service's format.
 */
export class ApiError extends Error {
  override name = "ApiError";
  /** HTTP status; 0 when there was no response. */
  readonly status: number;
  /** The service's identifier of the request; null when the response named none. */
  readonly requestId: string | null;
  readonly issues: Issue[];
  /** Signature of the transaction that the failure concerns, base58; null when it concerns none. */
  readonly txSignature: string | null;
  /** Seconds to wait before a retry; null when the service named no time. */
  readonly retryAfter: number | null;

  constructor(
    readonly code: ErrorCode | "offline" | "unreadable",
    message: string,
    { status = 0, requestId = null, issues = [], txSignature = null, retryAfter = null, cause }: ApiErrorDetails = {},
  ) {
    super(message, { cause });
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
