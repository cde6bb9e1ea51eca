import { AppError, createUpstreamError, type ErrorCode } from "../../errors";
import { startTimeLimit } from "../http/time-limit";

/**
 * Returns the result of `pending`. An operation that takes longer than `limitMs` may still take effect.
 * @throws AppError upstream_timeout after `limitMs`
 */
export function withTimeout<T>(pending: Promise<T>, limitMs: number): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const cancelLimit = startTimeLimit(limitMs, () => reject(createStoreError("upstream_timeout", "timeout")));
    pending.finally(cancelLimit).then(resolve, reject);
  });
}

/** Creates the error of a failed store operation. @param reason text for the log, after the store's name */
export const createStoreError = (code: ErrorCode, reason: string) => createUpstreamError(code, "store", reason);

/** Handler for `catch`. Returns null after a failure of the store. Rethrows every other error, because it is a bug. */
export function ignoreOutage(error: unknown): null {
  if (error instanceof AppError) return null;
  throw error;
}
