import type { Clock } from "../../ports/clock";
import type { KvStore } from "../../ports/kv-store";

interface QuotaWindowOptions {
  /** The window's name in the store, printable ASCII. */
  name: string;
  /** Calls per window; 0 allows none. */
  callsPerWindow: number;
  windowMs: number;
  clock: Clock;
  /** Counts the calls of all instances. Absent: this instance is the only one. */
  store?: Pick<KvStore, "increment">;
  /** Called when a lease request has ended, because calls may be available now. */
  onLeaseRequestEnd: () => void;
}

/**
 * The number of blocks into which a window's calls are divided. One request to the store leases one block. Small blocks
 * leave calls to other instances; large blocks cost fewer requests.
 */
const BLOCKS_PER_WINDOW = 10;
/** How long calls wait for a lease before the store counts as down, ms. */
const LEASE_TIMEOUT_MS = 250;

/**
 * Creates the count of one share's calls, window by window. With a store, the instance leases calls in blocks from the
 * store's counter of the window. Each instance determines windows by its own clock. While the store does not answer,
 * the instance counts the whole window alone.
 */
export function createQuotaWindow({
  name,
  callsPerWindow,
  windowMs,
  clock,
  store,
  onLeaseRequestEnd,
}: QuotaWindowOptions) {
  /** The number of calls that one request leases. */
  const blockSize = Math.ceil(callsPerWindow / BLOCKS_PER_WINDOW);
  /** The number of the current window since the epoch. */
  let windowNumber = -1;
  /** Leased calls that are not used yet. */
  let unusedCalls = 0;
  let leasedCalls = 0;
  /** Whether the store may still have calls of this window. */
  let mayLease = false;
  let isLeasing = false;

  const startWindowIfNew = () => {
    const currentWindow = Math.floor(clock.now() / windowMs);
    if (currentWindow === windowNumber) return;
    windowNumber = currentWindow;
    leasedCalls = 0;
    mayLease = store !== undefined && callsPerWindow > 0;
    unusedCalls = mayLease ? 0 : callsPerWindow;
  };

  /** Returns the number of calls granted, at most one block; null when the store does not answer. */
  const requestCalls = async ({ increment }: Pick<KvStore, "increment">): Promise<number | null> => {
    const countReply = increment(`calls:${name}:${windowNumber}`, blockSize, 2 * windowMs).catch(() => null);
    const countedCalls = await Promise.race([countReply, clock.sleep(LEASE_TIMEOUT_MS).then(() => null)]);
    return countedCalls === null ? null : Math.max(0, Math.min(blockSize, callsPerWindow - (countedCalls - blockSize)));
  };

  const takeLease = async (kv: Pick<KvStore, "increment">) => {
    isLeasing = true;
    const leasedWindow = windowNumber;
    const grantedCalls = await requestCalls(kv);
    isLeasing = false;
    startWindowIfNew();
    if (windowNumber === leasedWindow) {
      unusedCalls += grantedCalls ?? callsPerWindow - leasedCalls;
      leasedCalls += grantedCalls ?? 0;
      mayLease = grantedCalls === blockSize;
    }
    onLeaseRequestEnd();
  };

  return {
    /** Takes one call of the current window. @returns false when this instance has none left */
    takeCall(): boolean {
      startWindowIfNew();
      if (unusedCalls > 0) {
        unusedCalls--;
        return true;
      }
      if (mayLease && !isLeasing) void takeLease(store!);
      return false;
    },
    /** Returns whether a request for more calls is in flight to the store. */
    isLeasing: () => isLeasing,
  };
}
