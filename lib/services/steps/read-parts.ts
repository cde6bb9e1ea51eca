import { AppError } from "../../errors";
import type { Clock } from "../../ports/clock";

/**
 * Shorter than the time limit of a request, so that one slow part does not keep the other parts from being answered.
 */
const PARTS_MS = 4_000;

interface Parts<T> {
  /** Null for a part that failed, and for a part that was passed as null. */
  data: { [Name in keyof T]: Awaited<T[Name]> | null };
  /** The reasons of the parts that failed, in the order of the parts. */
  unavailable: { part: keyof T; code: string; reason: string }[];
}

/**
 * Waits for the parts of an answer. A part that fails as planned or takes too long becomes null and does not fail the
 * others.
 * @throws the error of any part that is not an AppError
 */
export async function readParts<T extends Record<string, Promise<unknown> | null>>(
  clock: Clock,
  parts: T,
): Promise<Parts<T>> {
  const late = clock.sleep(PARTS_MS).then(() => Promise.reject(new AppError("upstream_timeout")));
  const unavailable: Parts<T>["unavailable"] = [];
  const names: (keyof T)[] = Object.keys(parts);
  const settled = await Promise.allSettled(names.map((name) => Promise.race([parts[name], late])));
  const data = settled.map((result, i) => {
    if (result.status === "fulfilled") return [names[i], result.value] as const;
    if (!(result.reason instanceof AppError)) throw result.reason;
    unavailable.push({ part: names[i]!, code: result.reason.code, reason: result.reason.message });
    return [names[i], null] as const;
  });
  return { data: Object.fromEntries(data), unavailable };
}
