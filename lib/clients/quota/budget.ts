import { AppError, UpstreamFault } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { KvStore } from "../../ports/kv-store";
import { createFairQueue } from "./fair-queue";
import { createPerAddressQuota } from "./per-address-quota";
import { createQuotaWindow } from "./quota-window";

/** `prices` of the assets; `money`: builds, the relay, and reads of callers with valid credentials; `public`: reads of everybody else. */
const SHARES = ["prices", "money", "public"] as const;
export type Share = (typeof SHARES)[number];

/** For whom an upstream is called. */
export interface Asker {
  share: Share;
  /** The client's address: within a share, addresses take turns. Empty: the service itself. */
  address: string;
}

/** The service itself, as for looks at signatures that relays share. */
export const SERVICE: Asker = { share: "money", address: "" };
export const PRICES: Asker = { share: "prices", address: "" };

export interface Budget {
  /**
   * Counts one call: nothing when it may be made at once, else a wait for its turn.
   * @throws AppError upstream_unavailable with Retry-After, caused by an OverBudget, when the turn would come too late
   */
  take(asker: Asker): Promise<void> | undefined;
  /** Whoever waits for `first`'s calls too: those still to come, and those that wait, go by the better of the two shares. */
  join(first: Asker, next: Asker): void;
}

/** Where there is no ceiling. */
export const UNLIMITED: Budget = { take: () => undefined, join: () => {} };

export interface BudgetOptions {
  /** What the log and the store call it. */
  upstream: string;
  /** Calls in each window, by share. */
  calls: Record<Share, number>;
  windowMs: number;
  clock: Clock;
  /** Where instances count together. */
  store?: Pick<KvStore, "increment">;
}

/** The cause of a call that was not made. */
export class OverBudget extends UpstreamFault {}

/** The longest wait for a turn, ms. */
const MAX_WAIT_MS = 2_000;

/** Whose calls a share may use, in this order: nobody uses those of a better share. */
const USES: Record<Share, readonly Share[]> = {
  prices: ["prices", "money", "public"],
  money: ["money", "public"],
  public: ["public"],
};

interface Waiter {
  asker: Asker;
  /** Ms since the epoch. */
  until: number;
  go(): void;
  refuse(error: AppError): void;
}

/** A ceiling on the calls of one upstream, divided into shares. What waits does so in a queue no longer than what is served in time. */
export function createBudget(options: BudgetOptions): Budget {
  const { upstream, calls, windowMs, clock } = options;
  const pots = byShare((share) =>
    createQuotaWindow({ ...options, name: `${upstream}:${share}`, size: calls[share], onLease: () => settle() }),
  );
  const queues = byShare(() => createFairQueue<Waiter>());
  const mayTake = windowMs > MAX_WAIT_MS ? createPerAddressQuota({ ...options, uses: USES }) : () => true;
  const longest = (share: Share) => calls[share] * Math.max(1, Math.floor(MAX_WAIT_MS / windowMs));
  const windowEnd = () => (Math.floor(clock.now() / windowMs) + 1) * windowMs;
  const isLeasing = (share: Share) => USES[share].some((used) => pots[used].isLeasing());
  let wakesAt = 0;

  const overBudget = () => {
    const retryAfterSeconds = Math.max(1, Math.ceil((windowEnd() - clock.now()) / 1000));
    const cause = new OverBudget(upstream, "has had its calls");
    return new AppError("upstream_unavailable", { retryAfterSeconds, cause });
  };

  const draw = (share: Share): boolean => {
    for (const used of USES[share]) {
      if (pots[used].draw()) return true;
      // Others' are not touched before it is known that its own are spent.
      if (pots[used].isLeasing()) return false;
    }
    return false;
  };

  const settle = () => {
    const nextChance = windowEnd();
    for (const share of SHARES) {
      const queue = queues[share];
      while (queue.size() > 0 && draw(share)) queue.next()!.go();
      if (isLeasing(share)) continue;
      for (const late of queue.remove(({ until }) => until < nextChance)) late.refuse(overBudget());
    }
    if (wakesAt === nextChance || SHARES.every((share) => queues[share].size() === 0)) return;
    wakesAt = nextChance;
    void clock.sleep(nextChance - clock.now()).then(() => {
      wakesAt = 0;
      settle();
    });
  };

  return {
    take(asker) {
      const queue = queues[asker.share];
      if (!mayTake(asker)) return Promise.reject(overBudget());
      if (queue.size() === 0 && draw(asker.share)) return undefined;
      return new Promise((go, refuse) => {
        queue.add(asker.address, { asker, until: clock.now() + MAX_WAIT_MS, go, refuse });
        settle();
        if (queue.size() > longest(asker.share)) queue.last()!.refuse(overBudget());
      });
    },
    join(first, next) {
      if (SHARES.indexOf(next.share) >= SHARES.indexOf(first.share)) return;
      const waiting = queues[first.share].remove(({ asker }) => asker === first);
      Object.assign(first, { share: next.share, address: next.address });
      for (const one of waiting) queues[next.share].add(next.address, one);
      if (waiting.length > 0) settle();
    },
  };
}

const byShare = <T>(make: (share: Share) => T): Record<Share, T> => ({
  prices: make("prices"),
  money: make("money"),
  public: make("public"),
});
