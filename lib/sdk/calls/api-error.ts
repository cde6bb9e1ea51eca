import type { ErrorCode, Issue } from "../../errors";

export interface ApiErrorDetails {
  /** HTTP status; 0 when no answer came. */
  status?: number;
  requestId?: string | null;
  issues?: Issue[];
  /** Of the transaction the failure is about, base58. */
  txSignature?: string | null;
  /** Seconds after which asking again makes sense. */
  retryAfter?: number | null;
  cause?: unknown;
}

/** The API's answer as a failure that can be explained. `offline` and `unreadable` are no answer of the service's own. */
export class ApiError extends Error {
  readonly status: number;
  readonly requestId: string | null;
  readonly issues: Issue[];
  readonly txSignature: string | null;
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
}
