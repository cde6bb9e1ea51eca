import type { Clock } from "../../ports/clock";

interface PerAddressQuotaOptions<Share extends string> {
  /** Calls per window, by share. */
  calls: Record<Share, number>;
  /** The shares whose calls each share may use. */
  uses: Record<Share, readonly Share[]>;
  windowMs: number;
  clock: Clock;
}

/**
 * Limits each address in windows that are too long to wait for, in which a fair queue cannot help. An address may not
 * use more calls of a window than it leaves to the others. A lone address gets half of the window, and the next
 * address gets half of the rest. Each instance counts only the calls that it has seen.
 * @returns a function that returns whether the asker may make one more call, and then counts it
 */
export function createPerAddressQuota<Share extends string>({
  calls,
  uses,
  windowMs,
  clock,
}: PerAddressQuotaOptions<Share>) {
  let window = -1;
  let taken = new Map<Share, number>();
  let had = new Map<string, number>();

  return ({ share, address }: { share: Share; address: string }): boolean => {
    const now = Math.floor(clock.now() / windowMs);
    if (now !== window) [window, taken, had] = [now, new Map(), new Map()];
    const left = uses[share].reduce((sum, used) => sum + calls[used] - (taken.get(used) ?? 0), 0);
    const own = had.get(address) ?? 0;
    // With nothing left, the queue decides by how near the next window is. The service itself has no address.
    if (left > 0 && own >= left && address !== "") return false;
    taken.set(share, (taken.get(share) ?? 0) + 1);
    had.set(address, own + 1);
    return true;
  };
}
