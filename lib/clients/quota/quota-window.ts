import type { Clock } from "../../ports/clock";
import type { KvStore } from "../../ports/kv-store";

interface QuotaWindowOptions {
  /** The window's name in the store, printable ASCII. */
  name: string;
  /** Calls per window; 0 allows none. */
  size: number;
  windowMs: number;
  clock: Clock;
  /** Counts the calls of all instances. Absent: this instance is the only one. */
  store?: Pick<KvStore, "increment">;
  /** Called when a lease has ended, because calls may be available now. */
  onLease: () => void;
}

/**
 * One request to the store leases a window's calls divided by this number. Small blocks leave calls to other
 * instances; large blocks cost fewer requests.
 */
const LEASED_PART = 10;
/** How long a lease may take before the store counts as down, ms. Calls wait for it. */
const LEASE_PATIENCE_MS = 250;

/**
 * Creates the count of one share's calls, window by window. With a store, the instance leases calls in blocks from the
 * store's counter of the window. Each instance determines windows by its own clock. While the store does not answer,
 * the instance counts the whole window alone.
 */
export function createQuotaWindow({ name, size, windowMs, clock, store, onLease }: QuotaWindowOptions) {
  /** The number of calls that one request leases. */
  const block = Math.ceil(size / LEASED_PART);
  /** The number of the current window since the epoch. */
  let window = -1;
  /** Leased calls that are not used yet. */
  let remaining = 0;
  let leased = 0;
  /** Whether the store may still have calls of this window. */
  let mayLease = false;
  let isLeasing = false;

  const startWindowIfNew = () => {
    const now = Math.floor(clock.now() / windowMs);
    if (now === window) return;
    window = now;
    leased = 0;
    mayLease = store !== undefined && size > 0;
    remaining = mayLease ? 0 : size;
  };

  /** Returns the number of calls granted, at most one block; null when the store does not answer. */
  const requestCalls = async ({ increment }: Pick<KvStore, "increment">): Promise<number | null> => {
    const counted = increment(`calls:${name}:${window}`, block, 2 * windowMs).catch(() => null);
    const sum = await Promise.race([counted, clock.sleep(LEASE_PATIENCE_MS).then(() => null)]);
    return sum === null ? null : Math.max(0, Math.min(block, size - (sum - block)));
  };

  const takeLease = async (from: Pick<KvStore, "increment">) => {
    isLeasing = true;
    const leasedWindow = window;
    const granted = await requestCalls(from);
    isLeasing = false;
    startWindowIfNew();
    if (window === leasedWindow) {
      remaining += granted ?? size - leased;
      leased += granted ?? 0;
      mayLease = granted === block;
    }
    onLease();
  };

  return {
    /** Takes one call of the current window. @returns false when this instance has none left */
    takeCall(): boolean {
      startWindowIfNew();
      if (remaining > 0) {
        remaining--;
        return true;
      }
      if (mayLease && !isLeasing) void takeLease(store!);
      return false;
    },
    /** Returns whether a request for more calls is in flight to the store. */
    isLeasing: () => isLeasing,
  };
}
