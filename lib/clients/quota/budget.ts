/**
 * This folder limits how often the service calls its upstreams (the Solana nodes, Jupiter) and how long one request
 * may wait for them. It knows nothing about transports: retries and breakers belong in `lib/clients/http` and
 * `lib/clients/solana/nodes`. Limits on the service's own callers belong in `lib/clients/store/rate-limiter.ts`.
 *
 * Problem: an upstream allows a fixed number of calls per window, shared by all instances and all callers. One busy
 * address must not use up the calls that builds and relays need.
 *
 * Invariant: no window holds more calls than configured, and no share uses the calls of a more important share.
 *
 * How it is kept: `createBudget` divides each window into the shares `prices`, `money` and `public`. A share first
 * uses its own calls, then those of less important shares. `createQuotaWindow` leases calls in blocks from a counter
 * in the store, so instances count together. A call without quota waits in a fair queue, in which addresses take
 * turns. It is refused when no window opens within 2 s. While the store is down, each instance counts a whole window
 * for itself, and the invariant holds per instance only.
 *
 * Example: 10 RPC calls a second give `money` 6 and `public` 4. Address A asks for 10 public calls and B for 1. Four
 * of A's calls go out at once. The other six wait together with B's call. In the next second A and B alternate, so
 * B's call is the second to go out. A relay in the same second still has its 6 calls.
 */
import { AppError, UpstreamFault } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { KvStore } from "../../ports/kv-store";
import { budgetRefusals } from "../process/metrics";
import { createFairQueue } from "./fair-queue";
import { createQuotaWindow } from "./quota-window";

/** `prices`: asset prices. `money`: builds, the relay and reads with valid credentials. `public`: other reads. */
const SHARES = ["prices", "money", "public"] as const;
export type Share = (typeof SHARES)[number];

/** The party whose quota an upstream call uses: a client, or the service itself. */
export interface QuotaUser {
  share: Share;
  /** The client's address, or the bucket of a static key with its own limit. Empty for the service itself. */
  address: string;
}

/** The service itself, for example for signature polls that several relays share. */
export const SERVICE_ITSELF: QuotaUser = { share: "money", address: "" };
/** The service itself, for its reads of the assets' prices. */
export const PRICE_READER: QuotaUser = { share: "prices", address: "" };

export interface Budget {
  /**
   * Counts one call. Returns undefined when the call may be made at once, else a promise that resolves on its turn.
   * @throws AppError upstream_unavailable with Retry-After, caused by an OverBudget, when its turn would come too
   * late
   */
  take(quotaUser: QuotaUser): Promise<void> | undefined;
  /**
   * Records that `newQuotaUser` waits for the calls of `loadQuotaUser` too, because calls of its own would reach the
   * upstream twice. Waiting and future calls of `loadQuotaUser` use the more important share of the two.
   */
  join(loadQuotaUser: QuotaUser, newQuotaUser: QuotaUser): void;
}

/** A budget without a limit. */
export const NO_LIMIT: Budget = { take: () => undefined, join: () => {} };

export interface BudgetOptions {
  /** The name used in the log and in the store's keys. */
  upstream: string;
  /** Calls per window, by share. */
  calls: Record<Share, number>;
  windowMs: number;
  clock: Clock;
  /** Counts the calls of all instances together. Absent: this instance counts alone. */
  store?: Pick<KvStore, "increment">;
}

/** The cause of an AppError for a call that was not made because the quota was used up. */
export class OverBudget extends UpstreamFault {}

/** How long a call may wait for its turn, ms. */
const MAX_WAIT_MS = 2_000;

/** The shares whose calls each share may use, in order of use. No share uses the calls of a more important one. */
const USABLE_SHARES: Record<Share, readonly Share[]> = {
  prices: ["prices", "money", "public"],
  money: ["money", "public"],
  public: ["public"],
};

interface Waiter {
  quotaUser: QuotaUser;
  /** When the wait ends, in ms since the epoch. */
  waitEndsAt: number;
  start(): void;
  refuse(error: AppError): void;
}

/** Creates the budget of one upstream, see the head of this file. A queue holds only calls that can be made in time. */
export function createBudget(options: BudgetOptions): Budget {
  const { upstream, calls, windowMs, clock } = options;
  const windows = mapShares((share) =>
    createQuotaWindow({
      ...options,
      name: `${upstream}:${share}`,
      callsPerWindow: calls[share],
      onLeaseRequestEnd: () => serveQueues(),
    }),
  );
  const queues = mapShares(() => createFairQueue<Waiter>());
  const takeAddressQuota = windowMs > MAX_WAIT_MS ? createPerAddressQuota(options) : () => true;
  /** The number of calls that can be served within MAX_WAIT_MS. */
  const getMaxQueueLength = (share: Share) => calls[share] * Math.max(1, Math.floor(MAX_WAIT_MS / windowMs));
  const getWindowEnd = () => (Math.floor(clock.now() / windowMs) + 1) * windowMs;
  const isLeasing = (share: Share) => USABLE_SHARES[share].some((usedShare) => windows[usedShare].isLeasing());
  /** When the queues are served next, ms since the epoch; 0 when no timer runs. */
  let wakesAt = 0;

  const createRefusal = (share: Share) => {
    budgetRefusals.inc({ upstream, share });
    const retryAfterSeconds = Math.max(1, Math.ceil((getWindowEnd() - clock.now()) / 1000));
    const cause = new OverBudget(upstream, "has used up its call quota");
    return new AppError("upstream_unavailable", { retryAfterSeconds, cause });
  };

  const takeSharedCall = (share: Share): boolean => {
    for (const usedShare of USABLE_SHARES[share]) {
      if (windows[usedShare].takeCall()) return true;
      // Wait for the share's own lease before using another share's calls.
      if (windows[usedShare].isLeasing()) return false;
    }
    return false;
  };

  const serveQueues = () => {
    const nextWindowAt = getWindowEnd();
    for (const share of SHARES) {
      const queue = queues[share];
      while (queue.getSize() > 0 && takeSharedCall(share)) queue.takeNext()!.start();
      if (isLeasing(share)) continue;
      for (const lateWaiter of queue.remove(({ waitEndsAt }) => waitEndsAt < nextWindowAt))
        lateWaiter.refuse(createRefusal(share));
    }
    if (wakesAt === nextWindowAt || SHARES.every((share) => queues[share].getSize() === 0)) return;
    wakesAt = nextWindowAt;
    void clock.sleep(nextWindowAt - clock.now()).then(() => {
      wakesAt = 0;
      serveQueues();
    });
  };

  return {
    take(quotaUser) {
      const queue = queues[quotaUser.share];
      if (!takeAddressQuota(quotaUser)) return Promise.reject(createRefusal(quotaUser.share));
      if (queue.getSize() === 0 && takeSharedCall(quotaUser.share)) return undefined;
      return new Promise((start, refuse) => {
        queue.add(quotaUser.address, { quotaUser, waitEndsAt: clock.now() + MAX_WAIT_MS, start, refuse });
        serveQueues();
        if (queue.getSize() > getMaxQueueLength(quotaUser.share))
          queue.removeLast()!.refuse(createRefusal(quotaUser.share));
      });
    },
    join(loadQuotaUser, newQuotaUser) {
      if (SHARES.indexOf(newQuotaUser.share) >= SHARES.indexOf(loadQuotaUser.share)) return;
      const waiters = queues[loadQuotaUser.share].remove(({ quotaUser }) => quotaUser === loadQuotaUser);
      Object.assign(loadQuotaUser, { share: newQuotaUser.share, address: newQuotaUser.address });
      for (const waiter of waiters) queues[newQuotaUser.share].add(newQuotaUser.address, waiter);
      if (waiters.length > 0) serveQueues();
    },
  };
}

const mapShares = <T>(createValue: (share: Share) => T): Record<Share, T> => ({
  prices: createValue("prices"),
  money: createValue("money"),
  public: createValue("public"),
});

/**
 * Limits each address in windows that are too long to wait for, in which a fair queue cannot help. An address may not
 * use more calls of a window than it leaves to the others. A lone address gets half of the window, and the next
 * address gets half of the rest. Each instance counts only the calls that it has seen.
 * @returns a function that returns whether the quota user may make one more call, and counts that call
 */
function createPerAddressQuota({ calls, windowMs, clock }: BudgetOptions) {
  let windowNumber = -1;
  let callsByShare = new Map<Share, number>();
  let callsByAddress = new Map<string, number>();

  return ({ share, address }: QuotaUser): boolean => {
    const currentWindow = Math.floor(clock.now() / windowMs);
    if (currentWindow !== windowNumber)
      [windowNumber, callsByShare, callsByAddress] = [currentWindow, new Map(), new Map()];
    const remainingCalls = USABLE_SHARES[share].reduce(
      (sum, usedShare) => sum + calls[usedShare] - (callsByShare.get(usedShare) ?? 0),
      0,
    );
    const ownCalls = callsByAddress.get(address) ?? 0;
    // With nothing left, the call joins the queue, which refuses it if the next window is too far. The service has no
    // address of its own.
    if (remainingCalls > 0 && ownCalls >= remainingCalls && address !== "") return false;
    callsByShare.set(share, (callsByShare.get(share) ?? 0) + 1);
    callsByAddress.set(address, ownCalls + 1);
    return true;
  };
}
