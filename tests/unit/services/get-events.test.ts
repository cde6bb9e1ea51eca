import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { executeSwapContract } from "../../../lib/contracts/execute-swap";
import { getEventsContract } from "../../../lib/contracts/get-events";
import { getHealthContract } from "../../../lib/contracts/get-health";
import { getReferenceContract } from "../../../lib/contracts/get-reference";
import type { Activity } from "../../../lib/domain/activity";
import { toEventType } from "../../../lib/domain/events";
import { formatMark } from "../../../lib/domain/marks";
import { createReferenceMark } from "../../../lib/domain/reference";
import type { KvStore } from "../../../lib/ports/kv-store";
import type { Caller } from "../../../lib/ports/request-context";
import { executeSwap } from "../../../lib/services/execute-swap";
import { getEvents } from "../../../lib/services/get-events";
import { getHealth } from "../../../lib/services/get-health";
import { getReference } from "../../../lib/services/get-reference";
import { appendEvent, raiseHead, type TransactionEvent } from "../../../lib/services/steps/relay/feeds";
import { recordMarkedPayee } from "../../../lib/services/steps/saving/marked-wrap";
import { toBase64 } from "../../../lib/solana/bytes";
import { createMemo } from "../../../lib/solana/memo";
import { LIGHTHOUSE_PROGRAM } from "../../../lib/solana/programs";
import { createSystemTransfer } from "../../../lib/solana/system-instructions";
import { parseInput } from "../../support/client/contract-input";
import { confirmedAt, type FakeDeps, FEE_COLLECTORS, fakeDeps, outage } from "../../support/fakes/fake-deps";
import { type ManualClock, manualClock } from "../../support/fakes/manual-clock";
import { NO_INSTRUCTIONS } from "../../support/fixtures/figures";
import { memoryStore } from "../../support/store/memory-store";
import { buildTransaction, signatureOf, stranger, user } from "../../support/worlds/relay-rig";

const RUNS = Number(process.env.FUZZ_RUNS ?? 0);
/** More store calls than one posting and its event make. */
const CALLS = 44;
const ORDERS = ["order-1", "order-2"];
const DAY_MS = 86_400_000;

const SHOP: Caller = { kind: "static-key", wallet: null, keyId: "0", name: "shop" };
const RIVAL: Caller = { ...SHOP, name: "rival" };
const OWNER: Caller = { kind: "wallet", wallet: user.address };

/** Builds a saving with a reference, which needs a claim before it is sent. */
function saveFor(order: string, lamports = 1_000_000): Uint8Array {
  const mark = createReferenceMark(user.address, order);
  return buildTransaction([
    createSystemTransfer(user.address, stranger.address, BigInt(lamports), mark.key),
    createSystemTransfer(user.address, FEE_COLLECTORS[0]!, 2_500n),
    createMemo(formatMark(mark), user.address),
  ]);
}

const payOf = (lamports: number) =>
  buildTransaction([createSystemTransfer(user.address, stranger.address, BigInt(lamports))]);

/** Builds a payment whose amounts only the chain shows, because it also calls a program. */
const callProgram = (lamports: number) =>
  buildTransaction([
    createSystemTransfer(user.address, stranger.address, BigInt(lamports)),
    { programId: stranger.address, accounts: [], data: "" },
  ]);

const read = async (deps: FakeDeps, query: Record<string, unknown> = {}, caller: Caller = OWNER) =>
  getEventsContract.data.parse(await getEvents(deps, parseInput(getEventsContract, query), { caller }));

const submit = (deps: FakeDeps, transaction: Uint8Array, caller: Caller = SHOP) =>
  executeSwap(deps, parseInput(executeSwapContract, { signedTransaction: toBase64(transaction) }), { caller });

type Fate = "lands" | "fails" | "expires";
/** The type of a saving's event. */
const TYPES = { lands: "saving.confirmed", fails: "transaction.failed", expires: "transaction.expired" };

const LAST_HEIGHT = 1_150;

/**
 * A store and a chain. Processes on them end at their own store calls.
 * @param expiring lands up to LAST_HEIGHT only
 * @param landsAfterMs until then every sent transaction stays unknown
 */
function createWorld(fate: Fate, expiring?: string, landsAfterMs = 0) {
  const clock = manualClock();
  const store = memoryStore(clock);
  const sent = new Set<string>();
  const start = clock.now();
  /** @param endsAt the store call at which the process ends; it takes effect if `isDone` */
  function open(endsAt = Number.POSITIVE_INFINITY, isDone = false): FakeDeps {
    const life = { calls: 0, isOver: false };
    const deps = fakeDeps(() => endAt(store, life, endsAt, isDone), clock);
    deps.chain.height = () => 1_000 + Math.floor((clock.now() - start) / 400);
    deps.chain.blockhashValid = () => deps.chain.height() <= LAST_HEIGHT;
    deps.chain.status = (signature) =>
      fate !== "expires" && sent.has(signature) && clock.now() - start >= landsAfterMs
        ? confirmedAt(77, fate === "fails" ? { InstructionError: [0, { Custom: 1 }] } : null)
        : null;
    deps.chain.transactions.get = () => FIGURES;
    deps.before = ({ method, args }) => {
      if (life.isOver) return new Promise(() => {});
      const signature = method === "send" ? signatureOf(args[0] as Uint8Array) : null;
      if (signature && (signature !== expiring || deps.chain.height() <= LAST_HEIGHT)) sent.add(signature);
    };
    return deps;
  }
  return { clock, sent, open };
}

function endAt(store: KvStore, life: { calls: number; isOver: boolean }, endsAt: number, isDone: boolean): KvStore {
  return new Proxy(store, {
    get:
      (_, name: keyof KvStore) =>
      async (...args: never[]) => {
        if (life.isOver) return new Promise(() => {});
        const isLast = ++life.calls === endsAt;
        if (isLast) life.isOver = true;
        if (isLast && !isDone) return new Promise(() => {});
        const answer = await (store[name] as (...args: never[]) => unknown)(...args);
        return life.isOver ? new Promise(() => {}) : answer;
      },
  });
}

/** The user has paid the stranger 0.001 SOL. */
const FIGURES = {
  accountKeys: [user.address, stranger.address],
  feeLamports: 5_000n,
  preBalances: [10n ** 9n, 0n],
  postBalances: [10n ** 9n - 1_005_000n, 1_000_000n],
  preTokenBalances: [],
  postTokenBalances: [],
  ...NO_INSTRUCTIONS,
};

const probe = (deps: FakeDeps) =>
  getHealth(deps, parseInput(getHealthContract, { probe: "ready" }), { isOperator: () => false });

/** Lets a process find what is pending, as its health probes do, until nothing can be pending any more. */
async function finish(deps: FakeDeps, clock: ManualClock): Promise<void> {
  for (let minute = 0; minute < 5; minute++) {
    void probe(deps);
    await clock.advance(60_000);
  }
}

/** Posts two transactions while processes end at these store calls. Then a living process finishes. */
async function runWithCrashes(fate: Fate, crashes: { at: number; isDone: boolean }[]): Promise<void> {
  const [first, second] = [saveFor(ORDERS[0]!), saveFor(ORDERS[1]!)];
  const { clock, sent, open } = createWorld(fate, signatureOf(first));
  await recordMarkedPayee(open(), user.address, stranger.address);
  for (const { at, isDone } of crashes) {
    const deps = open(at, isDone);
    void submit(deps, first).catch(() => {});
    void read(deps).catch(() => {});
    await clock.advance(2_000);
  }
  const last = open();
  await finish(last, clock);
  const left = await read(last);
  // Nothing keeps the order pending for ever.
  const input = parseInput(getReferenceContract, { reference: ORDERS[0]! });
  const { state } = await getReference(last, input, { caller: OWNER });
  expect(state).toBe(sent.has(signatureOf(first)) && fate === "lands" ? "confirmed" : "unknown");
  // A transaction that was sent has its event, without another posting.
  if (sent.has(signatureOf(first)))
    expect(left.events.map(({ txSignature }) => txSignature)).toEqual([signatureOf(first)]);
  for (const transaction of [first, second]) {
    void submit(last, transaction).catch(() => {});
    await finish(last, clock);
  }
  for (const caller of [OWNER, SHOP]) {
    const { events, next } = await read(last, {}, caller);
    const expected = [first, second].map(signatureOf).map((signature, i) => {
      const type = sent.has(signature) ? TYPES[fate] : TYPES.expires;
      return [i + 1, type, signature];
    });
    expect(events.map(({ sequence, type, txSignature }) => [sequence, type, txSignature])).toEqual(expected);
    expect(next).toBe(2);
  }
  expect(await last.kv.listMembers("pending")).toEqual(new Map());
}

/** Two callers post one transaction to processes that end, and after a pause to one that lives, while it is pending. */
async function runWithTwoCallers(fate: Fate, crashes: { at: number; isDone: boolean }[], pauseMs = 0): Promise<void> {
  const transaction = saveFor(ORDERS[0]!);
  const { clock, open } = createWorld(fate, signatureOf(transaction), 10_000);
  await recordMarkedPayee(open(), user.address, stranger.address);
  const last = open();
  const post = async (deps: FakeDeps, caller: Caller) => {
    void submit(deps, transaction, caller).catch(() => {});
    await clock.advance(1_000);
  };
  for (const [i, { at, isDone }] of crashes.entries()) await post(open(at, isDone), [SHOP, RIVAL][i]!);
  await clock.advance(pauseMs);
  for (const caller of [RIVAL, SHOP]) await post(last, caller);
  await finish(last, clock);
  for (const caller of [OWNER, SHOP, RIVAL])
    expect((await read(last, {}, caller)).events).toMatchObject([{ type: TYPES[fate], sequence: 1 }]);
  expect(await last.kv.listMembers("pending")).toEqual(new Map());
}

describe.each(["lands", "fails", "expires"] as const)("a transaction that %s", (fate) => {
  test("has one event in the feed of each caller that submits it while it is pending", async () => {
    const wrong: string[] = [];
    for (let at = 1; at <= CALLS; at++) {
      const run = (other: number, pauseMs = 0) => {
        const crashes = [at, other].map((at) => ({ at, isDone: at % 2 === 0 }));
        return runWithTwoCallers(fate, crashes, pauseMs).catch((error) => wrong.push(`call ${at}: ${error}`));
      };
      await run(CALLS + 1 - at);
      // An expired transaction has no record of its landing. It is pending again when the second caller submits it.
      if (fate === "expires") await run(1, 150_000);
    }
    expect(wrong).toEqual([]);
  });

  test("has one event in each feed, wherever a process ends between two store calls", async () => {
    const wrong: string[] = [];
    for (let at = 1; at <= CALLS; at++)
      for (const isDone of RUNS > 0 ? [false, true] : [at % 2 === 0])
        await runWithCrashes(fate, [{ at, isDone }]).catch((error) => wrong.push(`call ${at}, ${isDone}: ${error}`));
    expect(wrong).toEqual([]);
  });

  test("has one event in each feed when two processes end", async () => {
    const crash = fc.record({ at: fc.integer({ min: 1, max: CALLS }), isDone: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(crash, crash, (one, other) => runWithCrashes(fate, [one, other])),
      { numRuns: RUNS === 0 ? 5 : RUNS / 20, endOnFailure: true },
    );
  });
});

test.each([
  ["lands", false],
  ["expires", true],
] as const)("a transaction that %s has no second event when it is posted again; noted: %s", async (fate, isNoted) => {
  const { clock, open } = createWorld(fate, fate === "expires" ? signatureOf(payOf(1)) : undefined);
  const deps = open();
  for (let posting = 1; posting <= 2; posting++) {
    void submit(deps, payOf(1)).catch(() => {});
    await finish(deps, clock);
    const type = fate === "lands" ? "transaction.confirmed" : TYPES[fate];
    expect(await read(deps)).toMatchObject({ events: [{ type }], next: 1 });
  }
  const note = await deps.kv.get(`event-of:${signatureOf(payOf(1))}:wallet:${user.address}`);
  expect(note !== null).toBe(isNoted);
});

test("of two savings with one reference, the refused one has no event", async () => {
  const { clock, open } = createWorld("lands");
  await recordMarkedPayee(open(), user.address, stranger.address);
  const last = open();
  const answers = Promise.allSettled([1, 2].map((lamports) => submit(open(), saveFor(ORDERS[0]!, lamports))));
  await clock.advance(5_000);
  const codes = (await answers).map((answer) => (answer.status === "rejected" ? answer.reason.code : "saved"));
  expect(codes.sort()).toEqual(["already_saved", "saved"]);
  await finish(last, clock);
  expect((await read(last)).events).toMatchObject([{ type: "saving.confirmed" }]);
  expect(await last.kv.listMembers("pending")).toEqual(new Map());
});

test("a process that starts finishes at once what the process before it has left", async () => {
  const { clock, sent, open } = createWorld("lands");
  const killed = open();
  const sending = killed.before;
  killed.before = (call) => (sent.size > 0 ? new Promise(() => {}) : sending(call));
  void submit(killed, payOf(1_000_000));
  await clock.advance(5_000);
  const next = open();
  void probe(next);
  await clock.advance(2_000);
  expect((await read(next)).events).toMatchObject([{ type: "transaction.confirmed" }]);
});

test("a waiting call takes over what a process beside its own has left", async () => {
  const { clock, sent, open } = createWorld("lands");
  const [killed, other] = [open(), open()];
  void probe(other);
  await clock.advance(10_000);
  const sending = killed.before;
  killed.before = (call) => (sent.size > 0 ? new Promise(() => {}) : sending(call));
  void submit(killed, payOf(1_000_000));
  await clock.advance(57_000);
  const answer = read(other, { wait: 20 });
  await clock.advance(10_000);
  expect(await Promise.race([answer, null])).toMatchObject({ next: 1 });
});

test("a round reads few transactions, and one that no node returns does not delay the others", async () => {
  const { clock, open } = createWorld("lands");
  let isLacking = (_signature: string) => true;
  const openLacking = () => {
    const deps = open();
    deps.chain.transactions.get = (signature) => {
      if (isLacking(signature)) throw outage();
      return FIGURES;
    };
    return deps;
  };
  const payments = Array.from({ length: 50 }, (_, i) => callProgram(1_000_000 + i));
  for (const payment of payments) void submit(openLacking(), payment);
  await clock.advance(5_000);
  const deps = openLacking();
  void probe(deps);
  await clock.advance(4_000);
  expect(deps.calls.filter(({ method }) => method === "readTransaction").length).toBeLessThanOrEqual(60);
  const [broken, ...others] = payments.map(signatureOf);
  isLacking = (signature) => signature === broken;
  for (let round = 0; round < 4; round++) {
    void probe(deps);
    await clock.advance(5_000);
  }
  const signatures = (await read(deps)).events.map(({ txSignature }) => txSignature);
  expect(signatures.sort()).toEqual(others.sort());
  await clock.advance(3_600_000);
  await finish(deps, clock);
  expect((await read(deps, { after: 49 })).events).toMatchObject([{ txSignature: broken, amounts: [] }]);
});

test("the event of a transaction that only transfers SOL needs no node to return the transaction", async () => {
  const { clock, open } = createWorld("lands");
  await recordMarkedPayee(open(), user.address, stranger.address);
  const deps = open();
  for (const transaction of [saveFor(ORDERS[0]!), payOf(7)]) void submit(deps, transaction);
  await clock.advance(5_000);
  const { events } = await read(deps);
  expect(events).toMatchObject([
    { type: "saving.confirmed", amounts: [{ symbol: "SOL", amount: "-1002500" }] },
    { type: "transaction.confirmed", amounts: [{ symbol: "SOL", amount: "-7" }] },
  ]);
  expect(deps.calls.some(({ method }) => method === "readTransaction")).toBe(false);
});

test("a saving within a larger transaction that no node returns for an hour has no amounts", async () => {
  const { clock, open } = createWorld("lands");
  const deps = open();
  deps.chain.transactions.get = () => {
    throw outage();
  };
  const pair = [
    createSystemTransfer(user.address, stranger.address, 1_000_000n),
    createSystemTransfer(user.address, FEE_COLLECTORS[0]!, 2_500n),
  ];
  void submit(deps, buildTransaction([...pair, { programId: stranger.address, accounts: [], data: "" }]));
  await clock.advance(3_600_000);
  await finish(deps, clock);
  expect((await read(deps)).events).toMatchObject([{ type: "saving.confirmed", amounts: [] }]);
});

test("a transaction stays pending until the replicas of the store have its event", async () => {
  const { clock, open } = createWorld("lands");
  const deps = open();
  const sending = deps.before;
  deps.before = (call) => {
    if (`${call.args[0]}`.startsWith("event:") && call.args.includes("replicated")) throw outage();
    return sending(call);
  };
  void submit(deps, payOf(1_000_000));
  await clock.advance(5_000);
  expect((await deps.kv.listMembers("pending")).size).toBe(1);
  deps.before = sending;
  await finish(deps, clock);
  expect((await read(deps)).events).toHaveLength(1);
});

test("a swap that cost SOL is a swap, another one a sale, and only a service wallet withdraws", () => {
  const typeOf = (type: "round_up" | "swap" | "withdrawal" | "deposit", fields: object, isServiceWallet = true) =>
    toEventType({ type, topup: false, solChange: 0n, ...fields } as Activity, isServiceWallet);
  expect([
    typeOf("round_up", {}),
    typeOf("round_up", { topup: true }),
    typeOf("swap", { solChange: -1n }),
    typeOf("swap", { solChange: 1n }),
    typeOf("withdrawal", {}),
    typeOf("withdrawal", {}, false),
    typeOf("deposit", {}),
  ]).toEqual([
    ...["saving.confirmed", "topup.confirmed", "swap.confirmed", "sale.confirmed", "withdrawal.confirmed"],
    ...["transaction.confirmed", "transaction.confirmed"],
  ]);
});

const failureOf = (txSignature: string): TransactionEvent => ({
  ...{ type: "transaction.failed", time: 0, wallet: user.address, txSignature, reference: null },
  ...{ solChange: 0n, tokenChanges: [] },
});

test("a feed continues behind events that have expired, and its numbers never start again", async () => {
  const deps = fakeDeps();
  const feed = `wallet:${user.address}`;
  const append = async (i: number) => {
    await raiseHead(deps.kv, feed, await appendEvent(deps, feed, failureOf(`${i}`), i - 1));
  };
  for (let i = 1; i <= 5; i++) await append(i);
  await deps.clock.advance(20 * DAY_MS);
  for (let i = 6; i <= 8; i++) await append(i);
  await deps.clock.advance(11 * DAY_MS);
  const numbers = async (query: Record<string, unknown>) =>
    (await read(deps, query)).events.map(({ sequence }) => sequence);
  expect(await numbers({})).toEqual([6, 7, 8]);
  expect(await numbers({ after: 3, limit: 2 })).toEqual([6, 7]);
  await deps.clock.advance(30 * DAY_MS);
  expect(await read(deps, { after: 6 })).toMatchObject({ events: [], next: 6 });
  await append(9);
  expect(await read(deps, { after: 6 })).toMatchObject({ events: [{ sequence: 9 }], next: 9 });
  // A reader whose feed was restored from an old backup must not miss the next events.
  await expect(read(deps, { after: 10 })).rejects.toMatchObject({ code: "invalid_request" });
});

test("a head that could not be raised is raised when its event has been read", async () => {
  const { clock, open } = createWorld("lands");
  const deps = open();
  const sending = deps.before;
  deps.before = (call) => {
    // The head and the pending transactions may be on different servers of a cluster.
    if (call.method === "replace" && `${call.args[0]}`.startsWith("events:")) throw outage();
    return sending(call);
  };
  void submit(deps, payOf(1));
  await clock.advance(5_000);
  deps.before = sending;
  expect(await read(deps, {})).toMatchObject({ next: 1 });
  expect(await read(deps, { after: 1 })).toMatchObject({ next: 1 });
  await clock.advance(31 * DAY_MS);
  void submit(deps, payOf(2));
  await clock.advance(5_000);
  expect(await read(deps, { after: 1 })).toMatchObject({ events: [{ sequence: 2 }] });
});

test("the rent of a Lighthouse memory account is read from the chain", async () => {
  const { clock, open } = createWorld("lands");
  const deps = open();
  const writeMemory = (tag: number) =>
    buildTransaction([
      createSystemTransfer(user.address, stranger.address, 7n),
      { programId: LIGHTHOUSE_PROGRAM, accounts: [], data: toBase64(Uint8Array.of(tag)) },
    ]);
  for (const tag of [2, 0]) {
    void submit(deps, writeMemory(tag));
    await clock.advance(5_000);
  }
  const amounts = (await read(deps)).events.map(({ amounts }) => amounts[0]!.amount);
  expect(amounts).toEqual(["-7", "-1000000"]);
});

test("100 events of one feed at once take few store calls, and each has its number", async () => {
  const deps = fakeDeps();
  const append = (i: number) => appendEvent(deps, `wallet:${user.address}`, failureOf(`${i}`), 0);
  await Promise.all(Array.from({ length: 100 }, (_, i) => append(i)));
  expect(deps.calls.length).toBeLessThan(500);
  expect((await read(deps)).events).toHaveLength(100);
});

test("a wallet reads only its own feed, and a static key reads any wallet's or its own", async () => {
  const { clock, open } = createWorld("lands");
  const deps = open();
  void submit(deps, payOf(1_000_000));
  await clock.advance(5_000);
  const other: Caller = { kind: "wallet", wallet: stranger.address };
  await expect(read(deps, { wallet: user.address }, other)).rejects.toMatchObject({ code: "invalid_request" });
  expect((await read(deps, {}, other)).events).toEqual([]);
  expect((await read(deps, {}, { ...SHOP, name: "rival" })).events).toEqual([]);
  const { events } = await read(deps, { wallet: user.address }, SHOP);
  expect(events).toEqual((await read(deps, {}, SHOP)).events);
  expect(events).toMatchObject([{ amounts: [{ symbol: "SOL", amount: "-1000000" }], reference: null }]);
});

describe("waiting", () => {
  test("costs one read of the store a second for all calls, and ends with the event", async () => {
    const { clock, open } = createWorld("lands");
    const deps = open();
    const answers = [OWNER, SHOP, SHOP].map((caller) => read(deps, { wait: 20 }, caller));
    await clock.advance(10_000);
    const reads = deps.calls.filter(({ method, args: [keys] }) => method === "getMany" && /^event:/.test(`${keys}`));
    expect(reads.length).toBe(10);
    void submit(deps, payOf(1_000_000));
    await clock.advance(3_000);
    expect((await Promise.all(answers)).map(({ next }) => next)).toEqual([1, 1, 1]);
  });

  test("ends after its time or with the process, and at most 1,000 calls wait", async () => {
    const deps = fakeDeps();
    const brief = read(deps, { wait: 1 });
    await deps.clock.advance(1_000);
    expect(await brief).toMatchObject({ events: [], next: 0 });
    const waits = Array.from({ length: 1_000 }, () => deps.keyWatch.wait("event", 20_000));
    await expect(read(deps, { wait: 1 })).rejects.toMatchObject({ code: "rate_limited" });
    expect((await read(deps)).events).toEqual([]);
    deps.keyWatch.close();
    await Promise.all([...waits, deps.keyWatch.wait("event", 20_000)]);
  });
});
