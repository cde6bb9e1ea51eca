import { AppError } from "../../errors";
import { createStoreError } from "./store-failure";

/** Turns an error of lmdb into an AppError. A caller's bug (RangeError) is returned unchanged. */
export function toStoreError(cause: unknown): Error {
  if (cause instanceof AppError || cause instanceof RangeError) return cause;
  // lmdb prints the reason to standard error. Handle its second promise too: unhandled, the rejection would end the
  // process.
  const { commitError } = cause as { commitError?: Promise<never> };
  commitError?.catch(() => {});
  return createStoreError("upstream_unavailable", commitError ? "cannot write" : "failed");
}
