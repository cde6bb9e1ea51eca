import { AppError, createUpstreamError, type ErrorCode, KeyRefusedFault } from "../../errors";
import { startTimeLimit } from "../http/time-limit";

/** An operation that takes longer than `limitMs` may still take effect. @throws AppError upstream_timeout */
export function withTimeout<T>(operation: Promise<T>, limitMs: number): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const cancelLimit = startTimeLimit(limitMs, () => reject(createStoreError("upstream_timeout", "timeout")));
    operation.finally(cancelLimit).then(resolve, reject);
  });
}

/** Creates the error of a failed store operation. @param reason follows the store's name in the log */
export const createStoreError = (code: ErrorCode, reason: string) => createUpstreamError(code, "store", reason);

/** @param refusal what the store does, after its name; contains no text of the store except the name of a command */
export const createRefusalError = (refusal: string) =>
  new AppError("upstream_unavailable", { cause: new KeyRefusedFault("store", refusal) });

/** Returns what a store refuses, in words for the operator; null for any other error of a server. */
export function describeRefusal(serverMessage: string): string | null {
  if (/\bWRONGPASS\b|\binvalid password\b/.test(serverMessage)) return "refuses the user name or the password";
  if (/\bNOAUTH\b/.test(serverMessage)) return "asks for a password";
  const isInScript = /can't run this command|ACL failure in script/.test(serverMessage);
  if (!isInScript && !/\bNOPERM\b/.test(serverMessage)) return null;
  const command = /'([a-z|]+)' command/.exec(serverMessage)?.[1]?.toUpperCase();
  if (isInScript) return `does not let its user run ${command ?? "a command"} in a script`;
  return `does not let its user ${command ? `run ${command}` : "use keys with this prefix"}`;
}

/** For `catch`: returns null for a failure of the store or an upstream. Rethrows every other error, which is a bug. */
export function ignoreOutage(error: unknown): null {
  if (error instanceof AppError) return null;
  throw error;
}
