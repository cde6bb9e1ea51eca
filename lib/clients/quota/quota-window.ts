import type { Clock } from "../../ports/clock";
import type { KvStore } from "../../ports/kv-store";

export interface QuotaWindowOptions {
  /** Its name in the store, printable ASCII. */
  name: string;
  /** Calls in each window; 0: none ever. */
  size: number;
  windowMs: number;
  clock: Clock;
  /** Counts the calls of every instance; absent: this one is alone. */
  store?: Pick<KvStore, "increment">;
  /** Told when a lease has ended: calls may be left now. */
  onLease: () => void;
}

/** The calls of one share, window by window. */
export interface QuotaWindow {
  /** Takes a call of this window. @returns false where none is left here */
  draw(): boolean;
  /** Whether the store is being asked for more. */
  isLeasing(): boolean;
}

/** Of a window's calls, one request to the store leases this part: instances share what is left, and it is asked rarely. */
const LEASED_PART = 10;
/** A store that takes longer is taken for gone, ms: calls wait for it. */
const LEASE_PATIENCE_MS = 250;

/**
 * With a store, calls are leased from its counter of the window, in blocks; windows are by each instance's own clock.
 * While it does not answer, an instance counts the whole window by itself.
 */
export function createQuotaWindow({ name, size, windowMs, clock, store, onLease }: QuotaWindowOptions): QuotaWindow {
  const block = Math.ceil(size / LEASED_PART);
  let window = -1;
  /** Calls at hand. */
  let left = 0;
  let leased = 0;
  /** Whether the store may have more of this window. */
  let mayLease = false;
  let leasing = false;

  const turnWindow = () => {
    const now = Math.floor(clock.now() / windowMs);
    if (now === window) return;
    window = now;
    leased = 0;
    mayLease = store !== undefined && size > 0;
    left = mayLease ? 0 : size;
  };

  /** Calls granted, at most a block; null when the store does not say. */
  const ask = async ({ increment }: Pick<KvStore, "increment">): Promise<number | null> => {
    const counted = increment(`calls:${name}:${window}`, block, 2 * windowMs).catch(() => null);
    const sum = await Promise.race([counted, clock.sleep(LEASE_PATIENCE_MS).then(() => null)]);
    return sum === null ? null : Math.max(0, Math.min(block, size - (sum - block)));
  };

  const lease = async (from: Pick<KvStore, "increment">) => {
    leasing = true;
    const asked = window;
    const granted = await ask(from);
    leasing = false;
    turnWindow();
    if (window === asked) {
      left += granted ?? size - leased;
      leased += granted ?? 0;
      mayLease = granted === block;
    }
    onLease();
  };

  return {
    draw() {
      turnWindow();
      if (left > 0) {
        left--;
        return true;
      }
      if (mayLease && !leasing) void lease(store!);
      return false;
    },
    isLeasing: () => leasing,
  };
}
