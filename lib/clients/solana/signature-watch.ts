import { AppError } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { SignatureReading, SignatureWatch } from "../../ports/signature-watch";
import type { SolanaRpc } from "../../ports/solana-rpc";

/** Source: MAX_GET_SIGNATURE_STATUSES_QUERY_ITEMS, agave. */
const MAX_SIGNATURES = 256;
/** Least time between two polls while several relays are in flight: one slot, ms. */
const SHARED_GAP_MS = 400;

interface Waiter {
  signature: string;
  searchHistory: boolean;
  withinMs: number;
  /** Ms since the epoch. */
  due: number;
  resolve: (reading: SignatureReading | null) => void;
  reject: (error: unknown) => void;
}

/**
 * Creates the signature watch. It polls for all waiting relays together, with one call for each 256 signatures. Keep
 * one per process.
 */
export function createSignatureWatch({ rpc, clock }: { rpc: SolanaRpc; clock: Clock }): SignatureWatch {
  let waiters: Waiter[] = [];
  let highestSlot = 0;
  /** When the last poll began, and how many signatures it covered. */
  let lastPoll = { at: 0, size: 0 };
  /** When the next poll is due, ms since the epoch. */
  let nextAt = Number.POSITIVE_INFINITY;

  const schedule = () => {
    const now = clock.now();
    shortenWaits(now);
    const isShared = waiters.length > 1 || lastPoll.size > 1;
    const soonest = Math.max(now, isShared ? lastPoll.at + SHARED_GAP_MS : 0);
    const at = Math.max(soonest, Math.min(...waiters.map(({ due }) => due)));
    if (waiters.length === 0 || at >= nextAt) return;
    nextAt = at;
    void clock.sleep(at - now).then(() => {
      // A later call may have scheduled an earlier poll, which replaces this one.
      if (nextAt === at) pollNow();
    });
  };

  /**
   * Corrects stored times after the system clock was set back. Otherwise a poll would wait for as long as the clock
   * moved.
   */
  const shortenWaits = (now: number) => {
    for (const waiter of waiters) waiter.due = Math.min(waiter.due, now + waiter.withinMs);
    lastPoll.at = Math.min(lastPoll.at, now);
  };

  const pollNow = () => {
    nextAt = Number.POSITIVE_INFINITY;
    const now = clock.now();
    const dueWaiters = waiters.filter(({ searchHistory, due }) => !searchHistory || due <= now);
    waiters = waiters.filter((waiter) => !dueWaiters.includes(waiter));
    lastPoll = { at: now, size: dueWaiters.length };
    for (const searchHistory of [false, true]) {
      const group = dueWaiters.filter((waiter) => waiter.searchHistory === searchHistory);
      for (let i = 0; i < group.length; i += MAX_SIGNATURES) void pollGroup(group.slice(i, i + MAX_SIGNATURES));
    }
    schedule();
  };

  const pollGroup = async (group: Waiter[]) => {
    const { searchHistory } = group[0]!;
    const signatures = group.map(({ signature }) => signature);
    try {
      const [{ slot, states }, head] = await Promise.all([
        rpc.readSignatureStates(signatures, searchHistory),
        searchHistory ? rpc.readHead().catch(returnNullForAppError) : null,
      ]);
      highestSlot = Math.max(highestSlot, slot);
      group.forEach(({ resolve }, i) => {
        resolve({ slot, state: states[i]!, head });
      });
    } catch (error) {
      const isAppError = error instanceof AppError;
      for (const { resolve, reject } of group) isAppError ? resolve(null) : reject(error);
    }
  };

  return {
    poll: (signature, { searchHistory, withinMs }) =>
      new Promise((resolve, reject) => {
        waiters.push({ signature, searchHistory, withinMs, due: clock.now() + withinMs, resolve, reject });
        schedule();
      }),
    getHighestSlot: () => highestSlot,
  };
}

function returnNullForAppError(error: unknown): null {
  if (error instanceof AppError) return null;
  throw error;
}
