import { AppError, createUpstreamError, type ErrorCode } from "../../errors";
import { startTimeLimit } from "../http/time-limit";

/**
 * Rejects when `pending` takes longer than `ms`; the operation may still take effect.
 * @throws AppError upstream_timeout
 */
export async function withTimeout<T>(pending: Promise<T>, ms: number): Promise<T> {
  let endLimit = () => {};
  const timeout = new Promise<never>((_resolve, reject) => {
    endLimit = startTimeLimit(ms, () => reject(createStoreError("upstream_timeout", "timeout")));
  });
  return Promise.race([pending, timeout]).finally(endLimit);
}

/** Creates the error of a failed store operation. @param what text for the log, after the store's name */
export const createStoreError = (code: ErrorCode, what: string) => createUpstreamError(code, "store", what);

/** Handler for `catch`. Returns null after a failure of the store. Rethrows every other error, because it is a bug. */
export function ignoreOutage(error: unknown): null {
  if (error instanceof AppError) return null;
  throw error;
}
