import { AppError } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { SignatureReading, SignatureWatch } from "../../ports/signature-watch";
import type { SolanaRpc } from "../../ports/solana-rpc";
import { ignoreOutage } from "../store/store-failure";

/** The largest number of signatures in one call. Source: MAX_GET_SIGNATURE_STATUSES_QUERY_ITEMS, agave. */
const MAX_SIGNATURES = 256;

interface Waiter {
  signature: string;
  searchHistory: boolean;
  withinMs: number;
  /** Ms since the epoch. */
  dueAt: number;
  resolve: (reading: SignatureReading | null) => void;
  reject: (error: unknown) => void;
}

/** Creates the signature watch, one per process. It polls for all waiting relays, 256 signatures with one call. */
export function createSignatureWatch({ rpc, clock }: { rpc: SolanaRpc; clock: Clock }): SignatureWatch {
  let waiters: Waiter[] = [];
  let highestSlot = 0;
  /** The start of the last poll, ms since the epoch, and the number of its signatures. */
  let lastPoll = { startedAt: 0, signatureCount: 0 };
  let nextPollAt = Number.POSITIVE_INFINITY;

  const schedulePoll = () => {
    const now = clock.now();
    adjustToClockSetBack(now);
    const isShared = waiters.length > 1 || lastPoll.signatureCount > 1;
    // While several relays are in flight, polls are at least one slot apart.
    const earliestAt = isShared ? Math.max(now, lastPoll.startedAt + rpc.getSlotTime().slotMs) : now;
    const pollAt = Math.max(earliestAt, Math.min(...waiters.map(({ dueAt }) => dueAt)));
    if (waiters.length === 0 || pollAt >= nextPollAt) return;
    nextPollAt = pollAt;
    void clock.sleep(pollAt - now).then(() => {
      // A later call may have scheduled an earlier poll, which replaces this one.
      if (nextPollAt === pollAt) pollNow();
    });
  };

  /** Corrects stored times. Otherwise the next poll would be late by as much as the clock was set back. */
  const adjustToClockSetBack = (now: number) => {
    for (const waiter of waiters) waiter.dueAt = Math.min(waiter.dueAt, now + waiter.withinMs);
    lastPoll.startedAt = Math.min(lastPoll.startedAt, now);
  };

  const pollNow = () => {
    nextPollAt = Number.POSITIVE_INFINITY;
    const now = clock.now();
    // A waiter without searchHistory joins any poll, but before it is due only a landing answers it: the next poll may
    // come long after. A waiter with searchHistory waits until it is due.
    const dueWaiters = waiters.filter(({ searchHistory, dueAt }) => !searchHistory || dueAt <= now);
    waiters = waiters.filter((waiter) => !dueWaiters.includes(waiter));
    lastPoll = { startedAt: now, signatureCount: dueWaiters.length };
    for (const searchHistory of [false, true]) {
      const group = dueWaiters.filter((waiter) => waiter.searchHistory === searchHistory);
      for (let i = 0; i < group.length; i += MAX_SIGNATURES) void pollGroup(group.slice(i, i + MAX_SIGNATURES), now);
    }
    schedulePoll();
  };

  const pollGroup = async (group: Waiter[], startedAt: number) => {
    const { searchHistory } = group[0]!;
    const signatures = group.map(({ signature }) => signature);
    try {
      const [{ slot, states }, head] = await Promise.all([
        rpc.readSignatureStates(signatures, searchHistory),
        searchHistory ? rpc.readHead().catch(ignoreOutage) : null,
      ]);
      highestSlot = Math.max(highestSlot, slot);
      for (const [i, waiter] of group.entries()) {
        const state = states[i]!;
        const hasLanded = state !== null && state.confirmation !== "processed";
        if (hasLanded || waiter.dueAt <= startedAt) waiter.resolve({ slot, state, head });
        else waiters.push(waiter);
      }
      schedulePoll();
    } catch (error) {
      const isAppError = error instanceof AppError;
      for (const { resolve, reject } of group) isAppError ? resolve(null) : reject(error);
    }
  };

  return {
    poll: (signature, { searchHistory, withinMs }) =>
      new Promise((resolve, reject) => {
        waiters.push({ signature, searchHistory, withinMs, dueAt: clock.now() + withinMs, resolve, reject });
        schedulePoll();
      }),
    getHighestSlot: () => highestSlot,
  };
}
