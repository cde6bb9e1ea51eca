import { z } from "zod";
import { STORE_KEYS } from "../../domain/store-keys";
import type { Clock } from "../../ports/clock";
import { checkReply, type StoreCommands } from "../store/kv-shared";

/**
 * Reserves the next calls of a bucket that all instances share. One token is added in `gapMs`, and an empty bucket is
 * full after `burstMs`. Returns in how many ms the last call is due, possibly negative. @throws AppError upstream_*
 */
export type ReserveCalls = (name: string, block: { count: number; gapMs: number; burstMs: number }) => Promise<number>;

export const createCallReserver =
  ({ runScript }: Pick<StoreCommands, "runScript">): ReserveCalls =>
  async (name, { count, gapMs, burstMs }) => {
    const args = [String(count * gapMs), String(burstMs)];
    return checkReply(z.int(), await runScript("reserveCalls", STORE_KEYS.callBudget.toKey(name), args));
  };

export interface TokenOptions {
  /** The bucket's name in the log, the metrics and the store, printable ASCII. */
  upstream: string;
  /** The time in which one token is added, ms. */
  gapMs: number;
  /** The largest number of unused tokens, at least 1. */
  burst: number;
  clock: Clock;
  /** Reserves tokens for this instance out of those of all instances. Absent: this instance is the only one. */
  reserveShared?: ReserveCalls;
}

/** How long an instance waits for the store, and how long it counts alone after a failure, ms. */
const STORE_TIMEOUT_MS = 250;
const COUNT_ALONE_MS = 2_000;
/** An instance reserves the shared tokens of this time at once, ms. Longer blocks cost fewer commands. */
const BLOCK_MS = 100;

/**
 * Creates the tokens of a bucket. While the store does not answer, the instance counts alone.
 * @param onReservation called when `getDueInMs` may no longer return null
 */
export function createTokens(options: TokenOptions, onReservation: () => void) {
  const { upstream, gapMs, burst, clock, reserveShared } = options;
  const burstMs = burst * gapMs;
  const count = Math.max(1, Math.floor(BLOCK_MS / gapMs));
  /** When the reserved tokens become due, ms since the epoch. */
  let dueTimes: number[] = [];
  let reservedAt = Number.NEGATIVE_INFINITY;
  let lastDueAlone = Number.NEGATIVE_INFINITY;
  let countsAloneUntil = reserveShared ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  let isReserving = false;

  const reserveAlone = (now: number) => {
    reservedAt = now;
    // The last token was taken when it was due. A later due time than now means that the clock was set back.
    lastDueAlone = Math.max(Math.min(lastDueAlone, now), now - burstMs) + gapMs;
    dueTimes = [lastDueAlone];
  };
  const reserveBlock = async (reserve: ReserveCalls) => {
    isReserving = true;
    const reply = reserve(upstream, { count, gapMs, burstMs }).catch(() => null);
    const waitMs = await Promise.race([reply, clock.sleep(STORE_TIMEOUT_MS).then(() => null)]);
    isReserving = false;
    reservedAt = clock.now();
    if (waitMs === null) countsAloneUntil = reservedAt + COUNT_ALONE_MS;
    else dueTimes = Array.from({ length: count }, (_, i) => reservedAt + waitMs - (count - 1 - i) * gapMs);
    onReservation();
  };

  return {
    /** Returns when the next token becomes due, ms from now, possibly negative. Null until the store has answered. */
    getDueInMs(): number | null {
      const now = clock.now();
      // Tokens that were not used in time would let more calls through than a window allows.
      dueTimes = now < reservedAt ? [] : dueTimes.filter((dueAt) => dueAt >= now - burstMs);
      if (dueTimes.length === 0 && now < countsAloneUntil) reserveAlone(now);
      else if (dueTimes.length === 0 && !isReserving) void reserveBlock(reserveShared!);
      return dueTimes.length > 0 ? dueTimes[0]! - now : null;
    },
    /** Takes the next token. Call it only when that token is due. */
    take: () => void dueTimes.shift(),
  };
}
