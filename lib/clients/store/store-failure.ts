import { AppError, createUpstreamError, type ErrorCode } from "../../errors";
import { startTimeLimit } from "../http/time-limit";

/**
 * Returns the result of `operation`. An operation that takes longer than `limitMs` may still take effect.
 * @throws AppError upstream_timeout after `limitMs`
 */
export function withTimeout<T>(operation: Promise<T>, limitMs: number): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const cancelLimit = startTimeLimit(limitMs, () => reject(createStoreError("upstream_timeout", "timeout")));
    operation.finally(cancelLimit).then(resolve, reject);
  });
}

/** Creates the error of a failed store operation. @param reason follows the store's name in the log */
export const createStoreError = (code: ErrorCode, reason: string) => createUpstreamError(code, "store", reason);

/**
 * Returns null for a failure of the store or an upstream, for use in `catch`. Rethrows every other error, because it is
 * a bug.
 */
export function ignoreOutage(error: unknown): null {
  if (error instanceof AppError) return null;
  throw error;
}
