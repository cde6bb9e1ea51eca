import type { Clock } from "../../ports/clock";
import type { ReserveCalls } from "../store/call-reservations";
import { type Bucket, createBucket, NO_LIMIT } from "./bucket";

interface BucketsOptions {
  /** Calls per second; null means no limit. */
  rpcCallsPerSecond: number | null;
  jupiterCallsPerSecond: number | null;
  clock: Clock;
  reserveShared?: ReserveCalls;
}

/** Jupiter's rate limits count calls over this time, ms. Source: Jupiter's rate limit documentation. */
const JUPITER_WINDOW_MS = 60_000;
/** How long a call may wait for its turn, ms. */
const MAX_WAIT_MS = 3_000;
/** The part of a window's calls that may be made at once. The others are spread over the window. */
const BURST_PART = 0.2;

/**
 * Creates the buckets of the Solana nodes, of Jupiter, and of this process's CPU. No window of an upstream, wherever it
 * begins, holds more calls than set.
 */
export function createBuckets({ rpcCallsPerSecond, jupiterCallsPerSecond, clock, reserveShared }: BucketsOptions) {
  const createLimited = (upstream: string, callsPerSecond: number | null, windowMs: number): Bucket => {
    if (callsPerSecond === null) return NO_LIMIT;
    const callsPerWindow = Math.floor(callsPerSecond * (windowMs / 1000));
    const burst = Math.ceil(callsPerWindow * BURST_PART);
    const gapMs = windowMs / (callsPerWindow - burst);
    return createBucket({ upstream, gapMs, burst, maxWaitMs: MAX_WAIT_MS, clock, reserveShared });
  };
  return {
    rpc: createLimited("rpc", rpcCallsPerSecond, 1_000),
    jupiter: createLimited("jupiter", jupiterCallsPerSecond, JUPITER_WINDOW_MS),
    // A check of a posted transaction takes a millisecond or two. Between two of them, the process reads new requests.
    cpu: createBucket({ upstream: "cpu", gapMs: 1, burst: 2, maxWaitMs: MAX_WAIT_MS, clock }),
  };
}
