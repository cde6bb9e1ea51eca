import { ApiError } from "../calls/api-error";
import type { Calls } from "../calls/calls";
import type { Clock } from "../platform";

/** `sending` until the service reports the transaction as pending, and then `confirming`. */
export type RelayStage = "sending" | "confirming";

export type RelayOutcome =
  | { landed: { txSignature: string } }
  /** The service states that the transaction did not land and never will. */
  | { refused: ApiError }
  /** A different transaction saves the same payments, or has saved them. See `isSavedElsewhere`. */
  | { elsewhere: ApiError }
  /** The transaction may have landed. The caller must not build a replacement. */
  | { unknown: ApiError };

interface RelayOptions {
  calls: Calls;
  clock: Clock;
  onStage?: (stage: RelayStage) => void;
  /** Whether the bytes may have been posted before, for example before a reload. Default: false. */
  mayHaveBeenPosted?: boolean;
  /** The longest wait for the rate limit, ms; default 60 s. After a longer limit, the outcome is unknown. */
  maxWaitMs?: number;
}

/** The service waits up to 25 s within each post. */
const MAX_POSTS = 6;
/** The pause after a temporary error for which the service does not name a time, ms. */
const DEFAULT_PAUSE_MS = 2_000;
/** How long a later start asks for the outcome of stored bytes, ms. Then a person decides when to ask again. */
const MAX_FOLLOW_MS = 60_000;
/** The longest pause between two posts, ms. The service's quota covers 60 s, so a longer pause gains nothing. */
const LONGEST_PAUSE_MS = 60_000;

/** Codes that concern the transaction itself. They are final, however often the bytes were posted. */
const FINAL_CODES = new Set<string>([
  "transaction_expired",
  "transaction_failed",
  "simulation_failed",
  "invalid_transaction",
  "transaction_not_signed",
]);

/** Posts signed bytes (base64) until their outcome is known. @throws errors other than ApiError, e.g. of an aborted call */
export async function relay(signedTransaction: string, options: RelayOptions): Promise<RelayOutcome> {
  const { calls, clock, onStage = () => {}, maxWaitMs = LONGEST_PAUSE_MS } = options;
  let { mayHaveBeenPosted = false } = options;
  const giveUpAt = mayHaveBeenPosted ? clock.now() + MAX_FOLLOW_MS : Number.POSITIVE_INFINITY;
  let lastError: ApiError | null = null;
  onStage("sending");
  for (let attempt = 0; attempt < MAX_POSTS && clock.now() < giveUpAt; attempt++) {
    try {
      const result = await calls.post("/api/swap/execute", { signedTransaction });
      if (result.confirmed) return { landed: { txSignature: result.txSignature } };
      onStage("confirming");
      lastError = null;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (isSavedElsewhere(error)) return { elsewhere: error };
      if (isRefusal(error, mayHaveBeenPosted)) return { refused: error };
      const waitMs = Math.min(error.retryAfterMs ?? DEFAULT_PAUSE_MS, LONGEST_PAUSE_MS);
      const isWaitTooLong = error.code === "rate_limited" && waitMs > maxWaitMs;
      if (!isTemporary(error) || isWaitTooLong) return { unknown: error };
      lastError = error;
      await clock.sleep(waitMs);
    }
    // The quota refuses a post before the service reads it. After any other answer, the bytes may have been sent.
    mayHaveBeenPosted ||= lastError?.code !== "rate_limited";
  }
  return { unknown: lastError ?? new ApiError("upstream_timeout", "Check Activity in a minute.") };
}

/**
 * Returns whether an error proves that the bytes did not and will not land. All other errors leave the outcome
 * unknown. A refusal of the caller, e.g. for its credentials, says nothing about bytes that were posted before.
 */
function isRefusal({ code, status }: ApiError, mayHaveBeenPosted: boolean): boolean {
  if (code === "unreadable" || code === "rate_limited" || status < 400 || status >= 500) return false;
  return FINAL_CODES.has(code) || !mayHaveBeenPosted;
}

/**
 * Returns whether a different transaction holds the claim on the same payments, or has saved them. The service then never
 * sent these bytes: bytes that it sends hold the claim until they have landed or can no longer land. The wallet may have
 * sent them itself, so a client must not say that nothing was sent.
 */
export const isSavedElsewhere = (error: unknown): boolean =>
  error instanceof ApiError && error.code === "already_saved" && error.status === 409;

/** Returns whether a later post of the same bytes may succeed. */
const isTemporary = ({ code, status }: ApiError) =>
  code === "offline" || code === "rate_limited" || [502, 503, 504].includes(status);
