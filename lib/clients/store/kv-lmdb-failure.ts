import { AppError, type ErrorCode, UpstreamFault } from "../../errors";
import { timeLimit } from "../http/time-limit";

/** @throws AppError upstream_timeout when it takes longer; it may happen all the same */
export async function withTimeout<T>(pending: Promise<T>, ms: number): Promise<T> {
  let endLimit = () => {};
  const late = new Promise<never>((_resolve, reject) => {
    endLimit = timeLimit(ms, () => reject(storeFailure("upstream_timeout", "timeout")));
  });
  return Promise.race([pending, late]).finally(endLimit);
}

/** @param what as the log has it, after the store's name */
export const storeFailure = (code: ErrorCode, what: string) =>
  new AppError(code, { cause: new UpstreamFault("store", what) });

export function toStoreFailure(cause: unknown): Error {
  if (cause instanceof AppError || cause instanceof RangeError) return cause;
  // lmdb says why on standard error by itself; left alone, this promise of the same would end the process.
  const { commitError } = cause as { commitError?: Promise<never> };
  commitError?.catch(() => {});
  return storeFailure("upstream_unavailable", commitError ? "cannot write" : "failed");
}
