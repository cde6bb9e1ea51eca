import { AppError, type ErrorCode, UpstreamFault } from "../../errors";
import { timeLimit } from "../http/time-limit";

/**
 * Rejects when `pending` takes longer than `ms`; the operation may still take effect.
 * @throws AppError upstream_timeout
 */
export async function withTimeout<T>(pending: Promise<T>, ms: number): Promise<T> {
  let endLimit = () => {};
  const late = new Promise<never>((_resolve, reject) => {
    endLimit = timeLimit(ms, () => reject(storeFailure("upstream_timeout", "timeout")));
  });
  return Promise.race([pending, late]).finally(endLimit);
}

/** Creates the error of a failed store operation. @param what text for the log, after the store's name */
export const storeFailure = (code: ErrorCode, what: string) =>
  new AppError(code, { cause: new UpstreamFault("store", what) });

/** Turns an error of lmdb into an AppError. A caller's bug (RangeError) is returned unchanged. */
export function toStoreFailure(cause: unknown): Error {
  if (cause instanceof AppError || cause instanceof RangeError) return cause;
  // lmdb prints the reason to standard error. Handle its second promise too: unhandled, the rejection would end the
  // process.
  const { commitError } = cause as { commitError?: Promise<never> };
  commitError?.catch(() => {});
  return storeFailure("upstream_unavailable", commitError ? "cannot write" : "failed");
}
