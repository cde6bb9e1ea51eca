import { AppError, type ErrorCode, upstreamError } from "../../errors";
import { startTimeLimit } from "../http/time-limit";

/**
 * Rejects when `pending` takes longer than `ms`; the operation may still take effect.
 * @throws AppError upstream_timeout
 */
export async function withTimeout<T>(pending: Promise<T>, ms: number): Promise<T> {
  let endLimit = () => {};
  const late = new Promise<never>((_resolve, reject) => {
    endLimit = startTimeLimit(ms, () => reject(storeFailure("upstream_timeout", "timeout")));
  });
  return Promise.race([pending, late]).finally(endLimit);
}

/** Creates the error of a failed store operation. @param what text for the log, after the store's name */
export const storeFailure = (code: ErrorCode, what: string) => upstreamError(code, "store", what);

/** For `catch`: returns null after a failure of the store. Throws every other error again, because it is a bug. */
export function ignoreOutage(error: unknown): null {
  if (error instanceof AppError) return null;
  throw error;
}
