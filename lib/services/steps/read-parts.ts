import { AppError } from "../../errors";
import type { Clock } from "../../ports/clock";

/** Less than a whole request may take, so that one slow part leaves the others time to be answered. */
const PARTS_MS = 4_000;

interface Parts<T> {
  /** Null for those that failed, and for those that were. */
  data: { [Name in keyof T]: Awaited<T[Name]> | null };
  /** Why, for those that failed, in their order. */
  unavailable: { part: keyof T; code: string; reason: string }[];
}

/** Waits for the parts of an answer, of which none fails the others: neither by a planned failure nor by slowness. */
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
