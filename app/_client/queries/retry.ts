import type { Revalidator, RevalidatorOptions } from "swr";
import type { ApiError } from "@/lib/sdk/calls/api-error";

/** Doubles with each retry. */
const FIRST_RETRY_SECONDS = 5;
/** The service may name a longer wait. */
const MAX_RETRY_SECONDS = 60;

/** Returns the seconds until a retry, counted from 1. Null for a client error (400 to 428), which would repeat. */
function computeRetrySeconds(
  { status, retryAfter }: Pick<ApiError, "status" | "retryAfter">,
  retryCount: number,
): number | null {
  if (status >= 400 && status < 429) return null;
  return Math.max(retryAfter ?? 0, Math.min(FIRST_RETRY_SECONDS * 2 ** (retryCount - 1), MAX_RETRY_SECONDS));
}

const retryTimers = new Map<string, ReturnType<typeof setTimeout>>();

/** Retries a failed read until it succeeds, in a visible tab. SWR itself does not poll a path whose read has failed. */
export function retryRead(
  error: ApiError,
  key: string,
  _config: unknown,
  retry: Revalidator,
  options: Required<RevalidatorOptions>,
): void {
  // When a person repeats the read and it fails again, its timer replaces the earlier one.
  clearTimeout(retryTimers.get(key));
  const waitSeconds = computeRetrySeconds(error, options.retryCount);
  if (waitSeconds === null) return;
  const retryOnceVisible = () => {
    if (document.visibilityState === "visible") void retry(options);
    else document.addEventListener("visibilitychange", retryOnceVisible, { once: true });
  };
  retryTimers.set(key, setTimeout(retryOnceVisible, waitSeconds * 1000));
}
