import { describe, expect, test } from "vitest";
import { meterPorts } from "../../../lib/clients/quota/meter-ports";
import { createPlaces } from "../../../lib/clients/quota/places";
import { getEventsContract } from "../../../lib/contracts/get-events";
import type { Activity } from "../../../lib/domain/activity";
import { ASSETS } from "../../../lib/domain/assets";
import { type EventType, toEventType } from "../../../lib/domain/events";
import { formatMark } from "../../../lib/domain/marks";
import { createReferenceMark } from "../../../lib/domain/reference";
import { DAY_MS } from "../../../lib/domain/time";
import type { KvStore } from "../../../lib/ports/kv-store";
import type { Caller } from "../../../lib/ports/request-context";
import { executeTransaction } from "../../../lib/services/execute-transaction";
import { getEvents } from "../../../lib/services/get-events";
import { getReference } from "../../../lib/services/get-reference";
import { appendEvent, raiseHead, type TransactionEvent } from "../../../lib/services/records/feeds";
import { recordMarkedPayee } from "../../../lib/services/records/service-wallets";
import { advancePending, keepAdvancingPending } from "../../../lib/services/steps/relay/advance-pending";
import { toBase64 } from "../../../lib/solana/bytes";
import { buildMemo } from "../../../lib/solana/memo";
import { LIGHTHOUSE_PROGRAM } from "../../../lib/solana/programs";
import { buildSystemTransfer } from "../../../lib/solana/system-instructions";
import { callService } from "../../support/client/contract-input";
import {
  createConfirmedState,
  createFakeDeps,
  createOutage,
  type FakeDeps,
  FEE_COLLECTORS,
  stageOutage,
} from "../../support/fakes/fake-deps";
import { createManualClock } from "../../support/fakes/manual-clock";
import { NO_TOKENS } from "../../support/fixtures/no-instructions";
import { createMemoryStore } from "../../support/store/memory-store";
import { buildTransaction, readSignature, stranger, user } from "../../support/worlds/relay-rig";

/** FUZZ_RUNS sets more runs. 0 runs a short version. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 0);
/** Upper bound on the store calls of one posted transaction and its event. */
const MAX_STORE_CALLS = 44;
const ORDERS = ["order-1", "order-2"];

const SHOP: Caller = { kind: "static-key", wallet: null, keyId: "0", name: "shop" };
const RIVAL: Caller = { ...SHOP, name: "rival" };
const OWNER: Caller = { kind: "wallet", wallet: user.address };

/** Builds a saving with an order's reference. The service sends it only after it has taken the reference's claim. */
function createSaving(order: string, lamports = 1_000_000): Uint8Array {
  const mark = createReferenceMark(user.address, order);
  return buildTransaction([
    buildSystemTransfer(user.address, stranger.address, BigInt(lamports), mark.key),
    buildSystemTransfer(user.address, FEE_COLLECTORS[0]!, 2_500n),
    buildMemo(formatMark(mark), user.address),
  ]);
}

const createPayment = (lamports: number) =>
  buildTransaction([buildSystemTransfer(user.address, stranger.address, BigInt(lamports))]);

/** Builds a payment whose amounts only the chain shows, because it also calls a program. */
const createProgramPayment = (lamports: number) =>
  buildTransaction([
    buildSystemTransfer(user.address, stranger.address, BigInt(lamports)),
    { programId: stranger.address, accounts: [], data: "" },
  ]);

const readEvents = (deps: FakeDeps, query: Record<string, unknown> = {}, caller: Caller = OWNER) =>
  callService(getEventsContract, getEvents, deps, query, { caller });

const postTransaction = (deps: FakeDeps, transaction: Uint8Array, caller: Caller = SHOP) =>
  executeTransaction(deps, { signedTransaction: toBase64(transaction) }, { caller });

/** The end of a process during a call of the store. */
interface Crash {
  /** Number of the process's last store call, counted from 1. */
  callNumber: number;
  /** True if the store executes this call. Its answer never arrives. */
  isExecuted: boolean;
}

type Fate = "lands" | "fails" | "expires";
/** The type of a saving's event, by its fate. */
const EVENT_TYPES = { lands: "saving.confirmed", fails: "transaction.failed", expires: "transaction.expired" };

const LAST_VALID_BLOCK_HEIGHT = 1_150;

/**
 * Creates one store and one chain, and a function that starts processes on them.
 * @param expiringSignature the signature of a transaction that lands up to LAST_VALID_BLOCK_HEIGHT only
 * @param landsAfterMs how long every sent transaction stays unknown, counted from the start
 */
function createWorld(fate: Fate, expiringSignature?: string, landsAfterMs = 0) {
  const clock = createManualClock();
  const store = createMemoryStore(clock);
  const sentSignatures = new Set<string>();
  const startMs = clock.now();
  /** Starts a process. Without a crash, it does not end. */
  function startProcess(crash?: Crash): FakeDeps {
    const processState = { calls: 0, isOver: false };
    const deps = createFakeDeps(() => createProcessStore(store, processState, crash), clock);
    deps.chain.getBlockHeight = () => 1_000 + Math.floor((clock.now() - startMs) / 400);
    deps.chain.isBlockhashValid = () => deps.chain.getBlockHeight() <= LAST_VALID_BLOCK_HEIGHT;
    deps.chain.getStatus = (signature) =>
      fate !== "expires" && sentSignatures.has(signature) && clock.now() - startMs >= landsAfterMs
        ? createConfirmedState(77, fate === "fails" ? { InstructionError: [0, { Custom: 1 }] } : null)
        : null;
    deps.chain.transactions.get = () => PAYMENT_FIGURES;
    deps.beforeCall = ({ method, args }) => {
      if (processState.isOver) return new Promise(() => {});
      const signature = method === "send" ? readSignature(args[0] as Uint8Array) : null;
      if (signature && (signature !== expiringSignature || deps.chain.getBlockHeight() <= LAST_VALID_BLOCK_HEIGHT))
        sentSignatures.add(signature);
    };
    return deps;
  }
  return { clock, sentSignatures, startProcess };
}

/** Wraps the store for one process. No call is answered from the last call of the process on. */
function createProcessStore(store: KvStore, processState: { calls: number; isOver: boolean }, crash?: Crash): KvStore {
  return new Proxy(store, {
    get:
      (_, name: keyof KvStore) =>
      async (...args: never[]) => {
        if (processState.isOver) return new Promise(() => {});
        const isLast = ++processState.calls === crash?.callNumber;
        if (isLast) processState.isOver = true;
        if (isLast && !crash.isExecuted) return new Promise(() => {});
        const answer = await (store[name] as (...args: never[]) => unknown)(...args);
        return processState.isOver ? new Promise(() => {}) : answer;
      },
  });
}

/** The figures of a payment in which the user sent the stranger 0.001 SOL. */
const PAYMENT_FIGURES = {
  accountKeys: [user.address, stranger.address],
  preBalances: [10n ** 9n, 0n],
  postBalances: [10n ** 9n - 1_005_000n, 1_000_000n],
  ...NO_TOKENS,
};

let roundCount = 0;
/** Makes a process begin a round. @param startedAt when it started; by default it counts as new */
const startRound = (deps: FakeDeps, startedAt = deps.clock.now()) =>
  void advancePending(deps, roundCount++, startedAt).catch(() => {});

/** Lets a process finish pending transactions, until none can be pending any more. */
async function finishPending(deps: FakeDeps): Promise<void> {
  for (let minute = 0; minute < 5; minute++) {
    startRound(deps);
    await deps.clock.advance(60_000);
  }
}

/**
 * Posts a saving to processes that end at these store calls. A process that does not end finishes it. That process then
 * receives this saving again, and a second one.
 */
async function runWithCrashes(fate: Fate, crashes: Crash[]): Promise<void> {
  const [firstSaving, secondSaving] = [createSaving(ORDERS[0]!), createSaving(ORDERS[1]!)];
  const { clock, sentSignatures, startProcess } = createWorld(fate, readSignature(firstSaving));
  await recordMarkedPayee(startProcess(), user.address, stranger.address);
  for (const crash of crashes) {
    const deps = startProcess(crash);
    void postTransaction(deps, firstSaving).catch(() => {});
    startRound(deps);
    await clock.advance(2_000);
  }
  const lastProcess = startProcess();
  await finishPending(lastProcess);
  const page = await readEvents(lastProcess);
  // No crash leaves the order pending.
  const { state } = await getReference(lastProcess, { reference: ORDERS[0]! }, { caller: OWNER });
  expect(state).toBe(sentSignatures.has(readSignature(firstSaving)) && fate === "lands" ? "confirmed" : "unknown");
  // A transaction that was sent has its event, without another posting.
  if (sentSignatures.has(readSignature(firstSaving)))
    expect(page.events.map(({ txSignature }) => txSignature)).toEqual([readSignature(firstSaving)]);
  for (const transaction of [firstSaving, secondSaving]) {
    void postTransaction(lastProcess, transaction).catch(() => {});
    await finishPending(lastProcess);
  }
  for (const caller of [OWNER, SHOP]) {
    const { events, next } = await readEvents(lastProcess, {}, caller);
    const expected = [firstSaving, secondSaving].map(readSignature).map((signature, i) => {
      const type = sentSignatures.has(signature) ? EVENT_TYPES[fate] : EVENT_TYPES.expires;
      return [i + 1, type, signature];
    });
    expect(events.map(({ sequence, type, txSignature }) => [sequence, type, txSignature])).toEqual(expected);
    expect(next).toBe(2);
  }
  expect(await lastProcess.kv.listMembers("pending")).toEqual(new Map());
}

/** Lets two callers post one transaction to processes that end, and after a pause to a process that does not. */
async function runWithTwoCallers(fate: Fate, crashes: Crash[], pauseMs = 0): Promise<void> {
  const transaction = createSaving(ORDERS[0]!);
  const { clock, startProcess } = createWorld(fate, readSignature(transaction), 10_000);
  await recordMarkedPayee(startProcess(), user.address, stranger.address);
  const lastProcess = startProcess();
  const postAndWait = async (deps: FakeDeps, caller: Caller) => {
    void postTransaction(deps, transaction, caller).catch(() => {});
    await clock.advance(1_000);
  };
  for (const [i, crash] of crashes.entries()) await postAndWait(startProcess(crash), [SHOP, RIVAL][i]!);
  await clock.advance(pauseMs);
  for (const caller of [RIVAL, SHOP]) await postAndWait(lastProcess, caller);
  await finishPending(lastProcess);
  for (const caller of [OWNER, SHOP, RIVAL])
    expect((await readEvents(lastProcess, {}, caller)).events).toMatchObject([
      { type: EVENT_TYPES[fate], sequence: 1 },
    ]);
  expect(await lastProcess.kv.listMembers("pending")).toEqual(new Map());
}

/** Runs a check with each number of a store call. Fails with the numbers at which the check fails. */
async function checkEveryCall(check: (callNumber: number) => Promise<void>): Promise<void> {
  const failures: string[] = [];
  for (let callNumber = 1; callNumber <= MAX_STORE_CALLS; callNumber++)
    await check(callNumber).catch((error) => failures.push(`call ${callNumber}: ${error}`));
  expect(failures).toEqual([]);
}

describe.each(["lands", "fails", "expires"] as const)("a transaction that %s", (fate) => {
  test("has one event in the feed of each caller that submits it while it is pending", () =>
    checkEveryCall(async (callNumber) => {
      const runBothCrashes = (otherCallNumber: number, pauseMs = 0) => {
        const crashes = [callNumber, otherCallNumber].map((call) => ({ callNumber: call, isExecuted: call % 2 === 0 }));
        return runWithTwoCallers(fate, crashes, pauseMs);
      };
      await runBothCrashes(MAX_STORE_CALLS + 1 - callNumber);
      // An expired transaction has no record of its landing. It is pending again when the second caller submits it.
      if (fate === "expires") await runBothCrashes(1, 150_000);
    }));

  test("has one event in each feed, wherever a process ends between two store calls", () =>
    checkEveryCall(async (callNumber) => {
      for (const isExecuted of RUNS > 0 ? [false, true] : [callNumber % 2 === 0])
        await runWithCrashes(fate, [{ callNumber, isExecuted }]);
    }));
});

test.each([
  ["lands", false],
  ["expires", true],
] as const)(
  "a transaction that %s has no second event when it is posted again (it has a record in addition to the feed: %s)",
  async (fate, hasRecord) => {
    const payment = createPayment(1);
    const deps = createWorld(fate, readSignature(payment)).startProcess();
    for (let posting = 1; posting <= 2; posting++) {
      void postTransaction(deps, payment).catch(() => {});
      await finishPending(deps);
      const type = fate === "lands" ? "transaction.confirmed" : EVENT_TYPES[fate];
      expect(await readEvents(deps)).toMatchObject({ events: [{ type }], next: 1 });
    }
    const eventRecord = await deps.kv.get(`event-of:${readSignature(payment)}:wallet:${user.address}`);
    expect(eventRecord !== null).toBe(hasRecord);
  },
);

test("a saving that is refused because its reference is already saved has no event", async () => {
  const { clock, startProcess } = createWorld("lands");
  await recordMarkedPayee(startProcess(), user.address, stranger.address);
  const lastProcess = startProcess();
  const answers = Promise.allSettled(
    [1, 2].map((lamports) => postTransaction(startProcess(), createSaving(ORDERS[0]!, lamports))),
  );
  await clock.advance(5_000);
  const codes = (await answers).map((answer) => (answer.status === "rejected" ? answer.reason.code : "saved"));
  expect(codes.sort()).toEqual(["already_saved", "saved"]);
  await finishPending(lastProcess);
  expect((await readEvents(lastProcess)).events).toMatchObject([{ type: "saving.confirmed" }]);
  expect(await lastProcess.kv.listMembers("pending")).toEqual(new Map());
});

/** Makes a process die after its first send. None of its later calls is answered. */
function dieAfterSend(deps: FakeDeps, sentSignatures: Set<string>): void {
  const { beforeCall } = deps;
  deps.beforeCall = (call) => (sentSignatures.size > 0 ? new Promise(() => {}) : beforeCall(call));
}

test("a new process finishes a pending transaction of the previous process at once", async () => {
  const { clock, sentSignatures, startProcess } = createWorld("lands");
  const killedProcess = startProcess();
  dieAfterSend(killedProcess, sentSignatures);
  void postTransaction(killedProcess, createPayment(1_000_000));
  await clock.advance(5_000);
  const nextProcess = startProcess();
  void keepAdvancingPending(nextProcess);
  await clock.advance(2_000);
  expect((await readEvents(nextProcess)).events).toMatchObject([{ type: "transaction.confirmed" }]);
});

test("another process finishes a pending transaction a minute after its process died", async () => {
  const { clock, sentSignatures, startProcess } = createWorld("lands");
  const [killedProcess, otherProcess] = [startProcess(), startProcess()];
  void keepAdvancingPending(otherProcess);
  await clock.advance(10_000);
  dieAfterSend(killedProcess, sentSignatures);
  void postTransaction(killedProcess, createPayment(1_000_000));
  await clock.advance(50_000);
  expect((await readEvents(otherProcess)).events).toEqual([]);
  await clock.advance(20_000);
  expect((await readEvents(otherProcess)).events).toMatchObject([{ type: "transaction.confirmed" }]);
});

test("a transaction that no node returns does not delay the events of other transactions", async () => {
  const { clock, startProcess } = createWorld("lands");
  let isMissing = (_signature: string) => true;
  const startWithoutTransactions = () => {
    const deps = startProcess();
    deps.chain.transactions.get = (signature) => {
      if (isMissing(signature)) throw createOutage();
      return PAYMENT_FIGURES;
    };
    return deps;
  };
  const payments = Array.from({ length: 50 }, (_, i) => createProgramPayment(1_000_000 + i));
  for (const payment of payments) void postTransaction(startWithoutTransactions(), payment);
  await clock.advance(5_000);
  const deps = startWithoutTransactions();
  startRound(deps);
  await clock.advance(4_000);
  expect(deps.calls.filter(({ method }) => method === "readTransaction").length).toBeLessThanOrEqual(60);
  const [missingSignature, ...otherSignatures] = payments.map(readSignature);
  isMissing = (signature) => signature === missingSignature;
  for (let round = 0; round < 4; round++) {
    startRound(deps);
    await clock.advance(5_000);
  }
  const signatures = (await readEvents(deps)).events.map(({ txSignature }) => txSignature);
  expect(signatures.sort()).toEqual(otherSignatures.sort());
  await clock.advance(3_600_000);
  await finishPending(deps);
  expect((await readEvents(deps, { after: 49 })).events).toMatchObject([
    { txSignature: missingSignature, amounts: [] },
  ]);
});

test("a transaction that was charged no fee has not run, so its event says that it failed", async () => {
  const deps = createWorld("lands").startProcess();
  deps.chain.transactions.get = () => ({ ...PAYMENT_FIGURES, feeLamports: 0n });
  void postTransaction(deps, createProgramPayment(1_000_000));
  await deps.clock.advance(5_000);
  expect((await readEvents(deps)).events).toMatchObject([{ type: "transaction.failed", amounts: [] }]);
});

test("the event of a transaction that only transfers SOL needs no node to return the transaction", async () => {
  const deps = createWorld("lands").startProcess();
  await recordMarkedPayee(deps, user.address, stranger.address);
  for (const transaction of [createSaving(ORDERS[0]!), createPayment(7)]) void postTransaction(deps, transaction);
  await deps.clock.advance(5_000);
  const { events } = await readEvents(deps);
  expect(events).toMatchObject([
    { type: "saving.confirmed", amounts: [{ symbol: "SOL", amount: "-1002500" }] },
    { type: "transaction.confirmed", amounts: [{ symbol: "SOL", amount: "-7" }] },
  ]);
  expect(deps.calls.some(({ method }) => method === "readTransaction")).toBe(false);
});

test("a saving within a larger transaction that no node returns for an hour has no amounts", async () => {
  const deps = createWorld("lands").startProcess();
  deps.chain.transactions.get = () => {
    throw createOutage();
  };
  const instructions = [
    buildSystemTransfer(user.address, stranger.address, 1_000_000n),
    buildSystemTransfer(user.address, FEE_COLLECTORS[0]!, 2_500n),
    { programId: stranger.address, accounts: [], data: "" },
  ];
  void postTransaction(deps, buildTransaction(instructions));
  await deps.clock.advance(3_600_000);
  await finishPending(deps);
  expect((await readEvents(deps)).events).toMatchObject([{ type: "saving.confirmed", amounts: [] }]);
});

test("a transaction stays pending until the replicas of the store have its event", async () => {
  const deps = createWorld("lands").startProcess();
  const endOutage = stageOutage(deps, ({ args }) => `${args[0]}`.startsWith("event:") && args.includes("replicated"));
  void postTransaction(deps, createPayment(1_000_000));
  await deps.clock.advance(5_000);
  expect((await deps.kv.listMembers("pending")).size).toBe(1);
  endOutage();
  await finishPending(deps);
  expect((await readEvents(deps)).events).toHaveLength(1);
});

const PAID_USDC = { mint: ASSETS.USDC.mint, amount: -1n, decimals: 6 };

test.each<[EventType, Activity["type"], Partial<Activity>, boolean]>([
  ["saving.confirmed", "round_up", {}, false],
  ["topup.confirmed", "round_up", { isTopup: true }, false],
  ["swap.confirmed", "swap", { solChangeLamports: -1n }, true],
  ["swap.confirmed", "swap", { tokenChanges: [PAID_USDC] }, true],
  ["sale.confirmed", "swap", { solChangeLamports: 1n }, true],
  ["sale.confirmed", "swap", { solChangeLamports: 1n, tokenChanges: [PAID_USDC] }, true],
  ["sale.confirmed", "swap", { tokenChanges: [{ ...PAID_USDC, amount: 1n }] }, true],
  ["withdrawal.confirmed", "withdrawal", {}, true],
  ["transaction.confirmed", "withdrawal", {}, false],
  ["transaction.confirmed", "deposit", {}, true],
])("the event %s reports a %s with %o (from a service wallet: %s)", (eventType, type, fields, isServiceWallet) => {
  const activity = { type, isTopup: false, solChangeLamports: 0n, tokenChanges: [], ...fields } as unknown as Activity;
  expect(toEventType(activity, isServiceWallet)).toBe(eventType);
});

const createFailureEvent = ({ clock }: FakeDeps, txSignature: string): TransactionEvent => ({
  type: "transaction.failed",
  time: clock.now(),
  wallet: user.address,
  txSignature,
  reference: null,
  savings: [],
  solChangeLamports: 0n,
  tokenChanges: [],
});

test("a feed's sequence numbers continue after its events have expired", async () => {
  const deps = createFakeDeps();
  const feed = `wallet:${user.address}`;
  const appendNumbered = async (i: number) => {
    await raiseHead(deps.kv, feed, await appendEvent(deps, feed, createFailureEvent(deps, `${i}`), i - 1));
  };
  for (let i = 1; i <= 5; i++) await appendNumbered(i);
  await deps.clock.advance(20 * DAY_MS);
  for (let i = 6; i <= 8; i++) await appendNumbered(i);
  await deps.clock.advance(11 * DAY_MS);
  const listSequences = async (query: Record<string, unknown>) =>
    (await readEvents(deps, query)).events.map(({ sequence }) => sequence);
  expect(await listSequences({})).toEqual([6, 7, 8]);
  expect(await listSequences({ after: 3, limit: 2 })).toEqual([6, 7]);
  await deps.clock.advance(30 * DAY_MS);
  expect(await readEvents(deps, { after: 6 })).toMatchObject({ events: [], next: 6 });
  await appendNumbered(9);
  expect(await readEvents(deps, { after: 6 })).toMatchObject({ events: [{ sequence: 9 }], next: 9 });
  // Without the refusal, a reader of a feed restored from an old backup would miss the next events.
  await expect(readEvents(deps, { after: 10 })).rejects.toMatchObject({ code: "invalid_request" });
});

test("two processes that append 40 events to one feed at once give each event one number, without a gap", async () => {
  const { startProcess } = createWorld("fails");
  const processes = [startProcess(), startProcess()];
  const feed = `wallet:${user.address}`;
  const signatures = Array.from({ length: 20 }, (_, i) => `${i}`);
  const append = (deps: FakeDeps, signature: string) => appendEvent(deps, feed, createFailureEvent(deps, signature), 0);
  const numbers = await Promise.all(
    processes.flatMap((deps, process) => signatures.map((i) => append(deps, `${process}-${i}`))),
  );
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
  // A process that knows a later number, as after the append of another event, finds each event again.
  const lastProcess = startProcess();
  const names = processes.flatMap((_, process) => signatures.map((i) => `${process}-${i}`));
  const newestFirst = names.map((name, i) => ({ name, number: numbers[i]! })).sort((a, b) => b.number - a.number);
  expect(await Promise.all(newestFirst.map(({ name }) => append(lastProcess, name)))).toEqual(
    newestFirst.map(({ number }) => number),
  );
  for (const deps of processes)
    for (const limit of [1, 7, 8, 9, 40])
      for (const after of [0, 1, 7, 8, 31, 39]) {
        const { events } = await readEvents(deps, { after, limit });
        const expected = numbers.filter((n) => n > after && n <= after + limit).toSorted((a, b) => a - b);
        expect(events.map(({ sequence }) => sequence)).toEqual(expected);
      }
});

test("a read corrects a feed's last number after the store failed to raise it", async () => {
  const deps = createWorld("lands").startProcess();
  // Only the feed's last number fails. In a cluster it may be on a different server than the pending transactions.
  const endOutage = stageOutage(deps, ({ method, args }) => method === "replace" && /^events:/.test(`${args[0]}`));
  void postTransaction(deps, createPayment(1));
  await deps.clock.advance(5_000);
  endOutage();
  expect(await readEvents(deps, {})).toMatchObject({ next: 1 });
  expect(await readEvents(deps, { after: 1 })).toMatchObject({ next: 1 });
  await deps.clock.advance(31 * DAY_MS);
  void postTransaction(deps, createPayment(2));
  await deps.clock.advance(5_000);
  expect(await readEvents(deps, { after: 1 })).toMatchObject({ events: [{ sequence: 2 }] });
});

test("the rent of a Lighthouse memory account is read from the chain", async () => {
  const deps = createWorld("lands").startProcess();
  const writeMemory = (tag: number) =>
    buildTransaction([
      buildSystemTransfer(user.address, stranger.address, 7n),
      { programId: LIGHTHOUSE_PROGRAM, accounts: [], data: toBase64(Uint8Array.of(tag)) },
    ]);
  for (const tag of [2, 0]) {
    void postTransaction(deps, writeMemory(tag));
    await deps.clock.advance(5_000);
  }
  const amounts = (await readEvents(deps)).events.map(({ amounts }) => amounts[0]!.amount);
  expect(amounts).toEqual(["-7", "-1000000"]);
});

test("only a static key reads another wallet's feed", async () => {
  const deps = createWorld("lands").startProcess();
  void postTransaction(deps, createPayment(1_000_000));
  await deps.clock.advance(5_000);
  const otherCaller: Caller = { kind: "wallet", wallet: stranger.address };
  const otherWalletsFeed = readEvents(deps, { wallet: user.address }, otherCaller);
  await expect(otherWalletsFeed).rejects.toMatchObject({ code: "invalid_request" });
  expect((await readEvents(deps, {}, otherCaller)).events).toEqual([]);
  expect((await readEvents(deps, {}, RIVAL)).events).toEqual([]);
  const { events } = await readEvents(deps, { wallet: user.address }, SHOP);
  expect(events).toEqual((await readEvents(deps, {}, SHOP)).events);
  expect(events).toMatchObject([{ amounts: [{ symbol: "SOL", amount: "-1000000" }], reference: null }]);
});

describe("waiting calls", () => {
  test("end after the requested time", async () => {
    const deps = createFakeDeps();
    const briefCall = readEvents(deps, { wait: 1 });
    await deps.clock.advance(1_000);
    expect(await briefCall).toMatchObject({ events: [], next: 0 });
  });

  test("end with the process", async () => {
    const deps = createFakeDeps();
    const waitingCalls = Array.from({ length: 1_000 }, () => readEvents(deps, { wait: 20 }));
    await deps.clock.advance(0);
    deps.storeWatch.close();
    for (const page of await Promise.all([...waitingCalls, readEvents(deps, { wait: 20 })]))
      expect(page).toEqual({ feed: `wallet:${user.address}`, events: [], next: 0 });
  });

  test("are 20 of an address; the next is answered at once without events, and says when to call again", async () => {
    const deps = createWorld("lands").startProcess();
    const openRequest = meterPorts(deps, [], { places: createPlaces() });
    const readFrom = (address: string, query: Record<string, unknown>) => {
      const request = openRequest();
      Object.assign(request.quotaUser, { kind: "address", id: address, maxPlaces: 20 });
      return callService(getEventsContract, getEvents, request.deps, query, { caller: OWNER });
    };
    const waitingCalls = Array.from({ length: 20 }, () => readFrom("192.0.2.1", { wait: 20 }));
    await deps.clock.advance(0);
    const noPlace = { feed: `wallet:${user.address}`, events: [], next: 0, retryAfterMs: 5_000 };
    expect(await readFrom("192.0.2.1", { wait: 20 })).toEqual(noPlace);
    expect(await readFrom("192.0.2.1", {})).toEqual({ ...noPlace, retryAfterMs: undefined });
    const otherCall = readFrom("192.0.2.2", { wait: 20 });
    void postTransaction(deps, createPayment(1_000_000));
    await deps.clock.advance(3_000);
    for (const { events, retryAfterMs } of await Promise.all([...waitingCalls, otherCall]))
      expect([events.length, retryAfterMs]).toEqual([1, undefined]);
    const laterCall = readFrom("192.0.2.1", { after: 1, wait: 1 });
    await deps.clock.advance(1_000);
    expect(await laterCall).toEqual({ ...noPlace, next: 1, retryAfterMs: undefined });
  });
});
