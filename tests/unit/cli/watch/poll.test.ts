import { expect, test } from "vitest";
import { openLedger } from "@/lib/cli/state/ledger";
import type { Session } from "@/lib/cli/state/session";
import { pollOnce, type WatchState } from "@/lib/cli/watch/poll";
import { createWatchMemory, type WatchContext } from "@/lib/cli/watch/watch-context";
import { readStoredRecord } from "@/lib/sdk/flow/record";
import { ApiError, type InvestRequest, type Roundup, type SaveRequest } from "@/lib/sdk/index";
import { createMemoryStorage, createProcessLock } from "@/lib/sdk/platform";
import { createSdkService, OWNER } from "../../../support/worlds/sdk-service";

/** Some members of T, of any type. */
type Stub<T> = Partial<Record<keyof T, unknown>>;

/** Creates the context of a watch. The service has nothing to save or invest, except what `overrides` replace. */
function createWatchContext(overrides: Stub<Roundup>) {
  const storage = createMemoryStorage();
  const memory = createWatchMemory(storage, "wallet");
  const log: string[] = [];
  const session = {
    roundup: {
      serviceWallet: async () => "service",
      prices: async () => ({ prices: { SOL: 100 } }),
      activity: async () => ({ items: [], nextBefore: null }),
      accumulator: async () => ({ balanceUsd: 0, usdcUsd: 0 }),
      ...overrides,
    },
    storage,
    lock: createProcessLock(),
    wallet: "wallet",
    clock: { now: () => 0 },
  };
  const context = {
    ...session,
    memory,
    ledger: openLedger(session as unknown as Session),
    settings: {
      terms: { plan: "forest" },
      everyUsd: 1,
      maxPerDayUsd: 2,
      maxPerMonthUsd: null,
      weeklyUsd: null,
      intervalMs: 120_000,
      thresholdUsd: 5,
      allocations: [{ asset: "BTC", pct: 100 }],
    },
    log: ({ text }: { text: string }) => log.push(text),
  } satisfies Stub<WatchContext>;
  return { context: context as unknown as WatchContext, memory, log };
}

test("the watch polls again soon while the history is incomplete", async () => {
  const progress = { isComplete: false };
  const { context, memory, log } = createWatchContext({
    spending: async () => ({ batches: [], savedThrough: null, items: [], nextBefore: null, ...progress }),
  });
  await memory.updateState({ waitingSinceMs: 7 });
  const state: WatchState = { nextAttemptMs: {} };
  expect(await pollOnce(context, state)).toBe(10_000);
  expect(log).toEqual([expect.stringContaining("Not everything has been read yet")]);
  expect((await memory.readState()).waitingSinceMs).toBe(7);
  progress.isComplete = true;
  expect(await pollOnce(context, state)).toBe(120_000);
  expect((await memory.readState()).waitingSinceMs).toBeNull();
});

test.each(["save", "invest"] as const)("the watch resumes a stored %s", async (name) => {
  // A payment posts its bytes six times. Each answer is lost, so the outcome stays unknown.
  const service = createSdkService(...Array<"lost">(6).fill("lost"));
  const storage = createMemoryStorage();
  const roundup = service.start({ storage });
  const confirm = () => true;
  const payments = {
    save: () => roundup.save({ purchasesUsd: [27.63], plan: "tree", ceilingUsd: 0.2 }, confirm),
    invest: () =>
      roundup.invest({ allocations: [{ asset: "BTC", pct: 100 }], slippageBps: 100, thresholdUsd: 5 }, confirm),
  };
  expect(await payments[name]()).toMatchObject({ status: "unknown" });
  const wallet = name === "save" ? OWNER : await roundup.serviceWallet();
  expect(await readStoredRecord(storage, name, wallet)).toMatchObject({ inFlight: { signed: expect.any(String) } });

  const { clock } = service;
  const settings = { terms: { plan: "forest" }, weeklyUsd: null, intervalMs: 120_000 };
  const session = { roundup, storage, lock: createProcessLock(), wallet: OWNER, clock };
  const context = { ...session, memory: createWatchMemory(storage, OWNER), ledger: openLedger(session), settings };
  const notDueMs = Number.POSITIVE_INFINITY;
  const state: WatchState = { nextAttemptMs: { topup: notDueMs, save: notDueMs, invest: notDueMs } };
  await pollOnce({ ...context, log: () => {} } as unknown as WatchContext, state);
  expect((await readStoredRecord(storage, name, wallet))?.inFlight ?? null).toBeNull();
});

const RATE_LIMITED = new ApiError("rate_limited", "Too many requests.", { status: 429 });

test("the watch reads each page of payments once if the batch exceeds the daily limit, even when it is rate-limited", async () => {
  const signatures = Array.from({ length: 10 }, (_, i) => `payment ${i}`);
  const newestFirst = signatures
    .map((txSignature, i) => ({ txSignature, time: `2026-11-21T12:00:0${i}.000Z`, usdValue: 10.4 }))
    .reverse();
  const readPages: (string | undefined)[] = [];
  const saveRequests: SaveRequest[] = [];
  const refusedPages = new Set<string>();
  const { context } = createWatchContext({
    /** Lists two payments per page. From the third page on, the first request for each page is rate-limited. */
    async spending({ limit, before }: { limit: number; before?: string }) {
      const small = { count: 0, sumUsd: 0 };
      const batches = [{ txValuesUsd: signatures.map(() => 10.4), small, through: signatures.at(-1)! }];
      if (limit === 1) return { batches, savedThrough: null, items: [], nextBefore: null };
      const start = before === undefined ? 0 : newestFirst.findIndex(({ txSignature }) => txSignature === before) + 1;
      if (start >= 4 && !refusedPages.has(before!) && refusedPages.add(before!)) throw RATE_LIMITED;
      readPages.push(before);
      const items = newestFirst.slice(start, start + 2);
      return { items, nextBefore: start + 2 < signatures.length ? items.at(-1)!.txSignature : null };
    },
    async save(request: SaveRequest) {
      saveRequests.push(request);
      return { status: "refused", reason: "Enough.", build: {}, transactions: [] };
    },
  });
  const state: WatchState = { nextAttemptMs: {} };
  for (let i = 0; i < 3; i++) await expect(pollOnce(context, state)).rejects.toBe(RATE_LIMITED);
  await pollOnce(context, state);
  expect(readPages).toEqual([undefined, "payment 8", "payment 6", "payment 4", "payment 2"]);
  expect(saveRequests).toMatchObject([{ purchasesUsd: [10.4, 10.4, 10.4], through: "payment 2", after: "none" }]);
});

test.each([
  ["SOL", { balanceUsd: 5, usdcUsd: 0 }, true],
  ["SOL", { balanceUsd: 4.99, usdcUsd: 500 }, false],
  ["USDC", { balanceUsd: 0, usdcUsd: 5 }, true],
  ["USDC", { balanceUsd: 500, usdcUsd: 4.99 }, false],
] as const)(
  "the watch that pays with %s spends nothing else: with %o it invests: %s",
  async (payWith, balances, isInvested) => {
    const requests: InvestRequest[] = [];
    const { context } = createWatchContext({
      spending: async () => ({ batches: [], savedThrough: null, items: [], nextBefore: null }),
      accumulator: async () => ({ ...balances, thresholdReached: true }),
      async invest(request: InvestRequest) {
        requests.push(request);
        return { status: "refused", reason: "Enough.", build: {}, transactions: [] };
      },
    });
    Object.assign(context.settings, { payWith });
    await pollOnce(context, { nextAttemptMs: {} });
    expect(requests.map((request) => request.payWith)).toEqual(isInvested ? [payWith] : []);
  },
);
