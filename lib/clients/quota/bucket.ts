/**
 * This folder limits the calls of upstreams, how long one request may wait for them, and how much one caller may hold.
 * Limits on the service's own callers are in `lib/clients/store/rate-limiter.ts`.
 *
 * Each upstream has a token bucket. A call whose token is due goes out at once. Any other call waits for its turn
 * (`turns.ts`), `money` before `other`. So a caller who floods does not delay the calls of others.
 */
import { AppError, createUpstreamError, UpstreamFault } from "../../errors";
import type { Clock } from "../../ports/clock";
import { budgetRefusals } from "../process/metrics";
import { mapMethods, type QuotaPort, type QuotaUser } from "./quota-port";
import { createTokens, type ReserveCalls, type TokenOptions } from "./tokens";
import { createTurns, type Turn } from "./turns";

export interface Bucket {
  /**
   * Takes a token for one call. Returns undefined when the call may be made at once.
   * @throws AppError upstream_unavailable, caused by an OverQuota, after `maxWaitMs`, or once the call is not wanted
   */
  take(user: QuotaUser, options?: TurnOptions): Promise<void> | undefined;
  /** Lets the waiting calls of `loadUser` also take the turns of `user`, which waits for the same answer. */
  join(loadUser: QuotaUser, user: QuotaUser): void;
  /** Estimates how long a further call of this party would wait, ms, if no further party came. */
  estimateWaitMs(user: QuotaUser, rank: number): number;
}

type TurnOptions = Partial<Pick<Turn, "rank" | "isWanted">>;

export const NO_LIMIT: Bucket = { take: () => undefined, join: () => {}, estimateWaitMs: () => 0 };

/** The cause of an AppError for a call that was not made because the quota was used up. */
export class OverQuota extends UpstreamFault {}

export interface BucketOptions extends TokenOptions {
  maxWaitMs?: number;
}

/** `users`: the parties that wait for the call. It has the turns of all of them. */
type WaitingCall = Turn & { users: QuotaUser[]; start(): void };

const PRIORITIES = ["money", "other"] as const;

/** Creates the bucket of one upstream. `other` leaves half of its burst to `money`. */
export function createBucket(options: BucketOptions): Bucket {
  const { upstream, gapMs, burst, maxWaitMs = Number.POSITIVE_INFINITY, clock } = options;
  const turns = { money: createTurns<WaitingCall>(), other: createTurns<WaitingCall>() };
  const tokens = createTokens(options, () => serve());
  let cancelWakeUp = () => {};

  /** Returns how long until a call of this priority may be made, ms; null until the store has answered. */
  const getWaitMs = (priority: QuotaUser["priority"]): number | null => {
    const dueInMs = tokens.getDueInMs();
    return dueInMs === null ? null : Math.max(0, dueInMs + (priority === "other" ? Math.floor(burst / 2) * gapMs : 0));
  };

  const serve = (): void => {
    for (;;) {
      const priority = PRIORITIES.find((name) => !turns[name].isEmpty());
      const waitMs = priority ? getWaitMs(priority) : null;
      if (!priority || waitMs === null) return;
      if (waitMs > 0) {
        cancelWakeUp();
        cancelWakeUp = clock.startTimer(waitMs, serve);
        return;
      }
      const call = turns[priority].takeNext();
      if (!call) continue;
      tokens.take();
      call.start();
    }
  };

  const createRefusal = ({ priority }: QuotaUser) => {
    budgetRefusals.inc({ upstream, priority });
    const cause = new OverQuota(upstream, "has used up its call quota");
    return new AppError("upstream_unavailable", { retryAfterSeconds: Math.max(1, Math.ceil(gapMs / 1000)), cause });
  };

  const waitForTurn = (user: QuotaUser, { rank = 0, isWanted = () => true }: TurnOptions) =>
    new Promise<void>((resolve, reject) => {
      const end = (finish: () => void) => () => {
        cancelTimeout();
        for (const waitingUser of call.users) turns[waitingUser.priority].remove(waitingUser, call);
        finish();
      };
      const drop = () => reject(createUpstreamError("upstream_unavailable", upstream, "dropped an unwanted call"));
      const users = [user, ...(user.joiners ?? [])];
      const call: WaitingCall = { rank, isWanted, users, start: end(resolve), drop: end(drop) };
      const refuse = end(() => reject(createRefusal(user)));
      const cancelTimeout = Number.isFinite(maxWaitMs) ? clock.startTimer(maxWaitMs, refuse) : () => {};
      for (const waitingUser of users) turns[waitingUser.priority].add(waitingUser, call);
      serve();
    });

  return {
    take(user, turnOptions = {}) {
      const isFirst = turns.money.isEmpty() && (user.priority === "money" || turns.other.isEmpty());
      if (isFirst && turnOptions.isWanted?.() !== false && getWaitMs(user.priority) === 0) {
        tokens.take();
        return undefined;
      }
      // The party's calls before this one alone would take too long.
      if (turns[user.priority].list(user).length >= Math.max(1, maxWaitMs / gapMs))
        return Promise.reject(createRefusal(user));
      return waitForTurn(user, turnOptions);
    },
    join(loadUser, user) {
      loadUser.joiners ??= [];
      const isSame = ({ priority, kind, id }: QuotaUser) =>
        priority === user.priority && kind === user.kind && id === user.id;
      if ([loadUser, ...loadUser.joiners].some(isSame)) return;
      loadUser.joiners.push(user);
      for (const call of [...turns[loadUser.priority].list(loadUser)]) {
        if (call.users[0] !== loadUser) continue;
        call.users.push(user);
        turns[user.priority].add(user, call);
      }
      serve();
    },
    estimateWaitMs: (user, rank) => turns[user.priority].countTurnsBefore(user, rank) * gapMs,
  };
}

/** Returns the port with every call counted as one call of the bucket. */
export function withBucket<P extends object>(bucket: Bucket, port: P): QuotaPort<P> {
  return mapMethods(port, (call) => async (quotaUser, ...args) => {
    await bucket.take(quotaUser as QuotaUser);
    return call(...args);
  });
}

interface BucketsOptions {
  /** Calls per second; null means no limit. */
  rpcCallsPerSecond: number | null;
  jupiterCallsPerSecond: number | null;
  clock: Clock;
  reserveShared?: ReserveCalls;
}

/** Source: Jupiter's rate limit documentation. */
const JUPITER_WINDOW_MS = 60_000;
const MAX_WAIT_MS = 3_000;
/** The part of a window's calls that may be made at once. The others are spread over the window. */
const BURST_PART = 0.2;

/** Creates the buckets of the nodes, of Jupiter, and of this process's CPU. No window holds more calls than set. */
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
