import type { executeSwapContract } from "../../contracts/execute-swap";
import { ApiError } from "../calls/api-error";
import type { Calls } from "../calls/calls";
import type { Clock } from "../world";

export type RelayStage = "sending" | "confirming";

interface Landed {
  txSignature: string;
  slot: number;
}

/** What became of signed bytes that were relayed. */
export type Outcome =
  | { landed: Landed }
  /** The service's clear word that it did not and will not happen. */
  | { refused: ApiError }
  /** Another transaction saves the same, or has: see `isElsewhere`. */
  | { elsewhere: ApiError }
  /** It may have happened: nothing may be built in its place. */
  | { unknown: ApiError };

export interface Relay {
  calls: Calls;
  clock: Clock;
  onStage?: (stage: RelayStage) => void;
  /** These bytes may have been posted before: a reload lay in between, or an answer was lost. */
  again?: boolean;
}

/** Posts for the outcome this often at most; each post itself waits up to 25 s. */
const ATTEMPTS = 6;
const PAUSE_S = 2;
/** The limit counts the last 60 s: whoever names a longer wait would only keep the outcome from being learned. */
const LONGEST_PAUSE_S = 60;

/** What the service says about a transaction itself, whoever sent it and however often. */
const VERDICTS = new Set<string>([
  "transaction_expired",
  "transaction_failed",
  "simulation_failed",
  "invalid_transaction",
  "transaction_not_signed",
]);

/** Relays signed bytes until it is known what became of them. Posting the same bytes again is always safe. */
export async function relay(signedTransaction: string, options: Relay): Promise<Outcome> {
  const { calls, clock, onStage = () => {} } = options;
  let { again = false } = options;
  let last: ApiError | null = null;
  onStage("sending");
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      const result = await calls.post<typeof executeSwapContract>("/api/swap/execute", { signedTransaction });
      if (result.confirmed) return { landed: { txSignature: result.txSignature, slot: result.slot } };
      onStage("confirming");
      last = null;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (isElsewhere(error)) return { elsewhere: error };
      if (isRefusal(error, again)) return { refused: error };
      if (!mayPass(error)) return { unknown: error };
      last = error;
      await clock.sleep(Math.min(error.retryAfter ?? PAUSE_S, LONGEST_PAUSE_S) * 1000);
    }
    // The limit answers before anything is read; everything else may have been sent on.
    again ||= last?.code !== "rate_limited";
  }
  return { unknown: last ?? new ApiError("upstream_timeout", "Look at your activity in a minute.") };
}

/**
 * The one answer to "may this have landed?": everything but this leaves it open. A refusal of the caller (credentials,
 * the limit, a proxy) says nothing about bytes that were posted before.
 */
function isRefusal({ code, status }: ApiError, again: boolean): boolean {
  if (code === "unreadable" || code === "rate_limited" || status < 400 || status >= 500) return false;
  return VERDICTS.has(code) || !again;
}

/**
 * Whether another transaction holds the claim on what this one saves, or has saved it. The service never sent this one then,
 * however often it was posted: what it sends holds the claim itself until it has landed, which is answered instead, or can
 * land no more. Of what a wallet sent past the service it says nothing, and so nobody may say that nothing was sent.
 */
export const isElsewhere = (error: unknown): boolean =>
  error instanceof ApiError && error.code === "already_saved" && error.status === 409;

function mayPass({ code, status }: ApiError): boolean {
  return code === "offline" || code === "rate_limited" || status === 502 || status === 503 || status === 504;
}
