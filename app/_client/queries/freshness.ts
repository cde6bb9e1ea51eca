import type { Limit } from "./limit";

/** Going from page to page reads nothing twice, nor what just came with another read. */
export const FRESH_MS = 10_000;
/** After something landed, whatever shows its wallets reads them again. */
const READ_AGAIN_MS = 2_000;

/** How new is what each path was read to say. Times are ms since the epoch. */
export interface Freshness {
  /** @param at when it was asked for */
  asked(path: string, at: number): void;
  /** When it was asked for last; undefined: never. */
  askedAt(path: string): number | undefined;
  /** Something of the wallets has landed. */
  landed(at: number): void;
  lastLanding(): number;
  /** Whether something has landed since this was read. */
  isOutdated(path: string): boolean;
  /** Whether it was just read, by itself or with another read, and nothing has landed since. */
  isFresh(path: string, now: number): boolean;
  /** Whether what was read does for a while: few calls are left, and the rest of the minute belongs to the person. */
  isEnough(path: string, read: { data?: unknown; error?: unknown } | undefined, now: number): boolean;
}

/** @param timeless what no landing changes */
export function createFreshness(limit: Pick<Limit, "isShort">, timeless: string): Freshness {
  const askedAt = new Map<string, number>();
  let landedAt = Number.NEGATIVE_INFINITY;
  const isOutdated = (path: string) => path !== timeless && (askedAt.get(path) ?? landedAt) < landedAt;
  return {
    asked: (path, at) => void askedAt.set(path, at),
    askedAt: (path) => askedAt.get(path),
    landed(at) {
      landedAt = at;
    },
    lastLanding: () => landedAt,
    isOutdated,
    isFresh: (path, now) => !isOutdated(path) && now - (askedAt.get(path) ?? Number.NEGATIVE_INFINITY) < FRESH_MS,
    isEnough(path, read, now) {
      if (read?.data === undefined || read.error !== undefined) return false;
      if (path !== timeless && (isOutdated(path) || now - landedAt <= READ_AGAIN_MS)) return false;
      return limit.isShort(now);
    },
  };
}
