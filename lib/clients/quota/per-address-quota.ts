import type { Clock } from "../../ports/clock";

interface PerAddressQuotaOptions<Share extends string> {
  /** Calls in each window, by share. */
  calls: Record<Share, number>;
  /** Whose calls a share may use. */
  uses: Record<Share, readonly Share[]>;
  windowMs: number;
  clock: Clock;
}

/**
 * For windows too long to wait for the next one, so that taking turns helps nobody: an address has no more of a window than it
 * leaves to the others. Alone it gets half, and whoever comes next finds the other. An instance goes by what it has seen itself.
 * @returns whether the asker may have one more, which is then counted
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
    // Where nothing is left, the queue knows whether the next window is near. The service itself has no address.
    if (left > 0 && own >= left && address !== "") return false;
    taken.set(share, (taken.get(share) ?? 0) + 1);
    had.set(address, own + 1);
    return true;
  };
}
