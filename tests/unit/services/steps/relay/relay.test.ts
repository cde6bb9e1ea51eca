import { beforeEach, describe, expect, test } from "vitest";
import { getEventsContract } from "../../../../../lib/contracts/get-events";
import { DAY_MS } from "../../../../../lib/domain/time";
import type { SignatureState } from "../../../../../lib/ports/solana-rpc";
import { getEvents } from "../../../../../lib/services/get-events";
import { readRelayRecords } from "../../../../../lib/services/records/landings";
import { TOKEN_PROGRAM } from "../../../../../lib/solana/programs";
import { buildSystemTransfer } from "../../../../../lib/solana/system-instructions";
import { callService } from "../../../../support/client/contract-input";
import {
  createBlockhash,
  createConfirmedState,
  createOutage,
  createSimulation,
  type FakeDeps,
  failCalls,
  listArguments,
  listCalls,
  listSends,
  PRICES_USD,
  runFor,
  setPrices,
  stageOutage,
} from "../../../../support/fakes/fake-deps";
import {
  buildPayment,
  buildTransaction,
  LONG_MS,
  landAfterSends,
  postSigned,
  readSignature,
  stageWrap,
  startPosting,
  stranger,
  user,
} from "../../../../support/worlds/relay-rig";

let deps: FakeDeps;
/** A signed wrap that this service built. */
let wrap: Uint8Array;
let serviceWallet: string;
beforeEach(async () => {
  ({ deps, wrap, serviceWallet } = await stageWrap());
});

/** Lists the calls that read the state of transactions, with a search of the history or without it. */
const listReadings = (searchesHistory: boolean) =>
  deps.calls.filter(({ method, args }) => method === "readSignatureStates" && args[1] === searchesHistory);

/** Returns the milliseconds between each call and the next. */
const measureGaps = (calls: { timeMs: number }[]) => calls.slice(1).map(({ timeMs }, i) => timeMs - calls[i]!.timeMs);

const readRecord = async () => (await readRelayRecords(deps, [readSignature(wrap)]))[0];

/** Lists the signatures of the events in the user's feed. */
async function listEventSignatures(): Promise<string[]> {
  const context = { caller: { kind: "wallet", wallet: user.address } } as const;
  const { events } = await callService(getEventsContract, getEvents, deps, {}, context);
  return events.map(({ txSignature }) => txSignature);
}

/** Posts this many different payments at once and advances the time until all are answered. */
async function executePayments(count: number): Promise<void> {
  const payments = Array.from({ length: count }, (_, i) =>
    buildTransaction([buildSystemTransfer(user.address, stranger.address, BigInt(i + 1))]),
  );
  await runFor(LONG_MS, deps, Promise.all(payments.map((payment) => startPosting(deps, payment))));
}

/** Posts the wrap. Returns the answer and the time until it came. */
async function measurePost() {
  const startMs = deps.clock.now();
  const pending = startPosting(deps, wrap);
  const answerTime = pending.then(() => deps.clock.now());
  return { answer: await runFor(LONG_MS, deps, pending), waitedMs: (await answerTime) - startMs };
}

describe("a relay", () => {
  test("answers pending after 25 s, with the last valid height of a transaction built here", async () => {
    const { answer, waitedMs } = await measurePost();
    expect(answer).toEqual({
      txSignature: readSignature(wrap),
      confirmed: false,
      status: "pending",
      lastValidBlockHeight: 1_150,
      network: "sandbox",
    });
    expect(waitedMs).toBeGreaterThan(24_000);
    expect(waitedMs).toBeLessThanOrEqual(25_000);
  });

  test("gives no last valid height for an app's own transaction, because the service does not know it", async () => {
    expect(await postSigned(deps, buildPayment())).toMatchObject({ status: "pending", lastValidBlockHeight: null });
  });

  test("resends the same bytes every 1 to 2 s until they land, then stops", async () => {
    landAfterSends(deps, 6);
    expect(await postSigned(deps, wrap)).toMatchObject({ confirmed: true, slot: 77 });
    const sends = listSends(deps);
    expect(sends).toHaveLength(6);
    for (const { bytes } of sends) expect(bytes).toEqual(wrap);
    const gaps = measureGaps(sends);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(2_000);
  });

  test.each([150, 200, 400])("polls after one slot of %i ms, and once a second later", async (slotMs) => {
    deps.chain.slotMs = slotMs;
    await postSigned(deps, wrap);
    const polls = listReadings(false);
    expect(polls[0]!.timeMs - listSends(deps)[0]!.timeMs).toBe(slotMs);
    const gaps = measureGaps(polls);
    expect(gaps[0]).toBe(1.25 * slotMs);
    expect(gaps.slice(9).every((gap) => gap === 1_000)).toBe(true);
  });

  test.each(["send", "readSignatureStates", "readHead"])(
    "a %s that fails after the first send leads to pending, never to an error",
    async (method) => {
      deps.beforeCall = (call) => {
        if (call.method === method && listSends(deps).length > 0) throw createOutage();
      };
      expect(await postSigned(deps, wrap)).toMatchObject({ status: "pending", lastValidBlockHeight: 1_150 });
    },
  );

  test.each([5_000, 20_000])("upstreams that take %i ms each do not delay the answer beyond 25 s", async (slowMs) => {
    deps.beforeCall = async ({ port }) => {
      if (port !== "rpc" || listSends(deps).length === 0) return;
      await deps.clock.sleep(slowMs);
      throw createOutage();
    };
    const { answer, waitedMs } = await measurePost();
    expect(answer).toMatchObject({ status: "pending" });
    expect(waitedMs).toBeLessThanOrEqual(25_000);
  });

  test("keeps the outcomes and events of two simultaneous transactions apart", async () => {
    const payment = buildPayment();
    const slots = new Map([wrap, payment].map((bytes, i) => [readSignature(bytes), 77 + i]));
    deps.chain.getStatus = (signature) =>
      listSends(deps).length >= 4 ? createConfirmedState(slots.get(signature)!) : null;
    const answers = await runFor(LONG_MS, deps, Promise.all([startPosting(deps, wrap), startPosting(deps, payment)]));
    expect(answers).toMatchObject([{ slot: 77 }, { slot: 78 }]);
    await deps.clock.advance(1_000);
    // A transaction is no longer pending once its event is written.
    expect(await deps.kv.listMembers("pending")).toEqual(new Map());
    expect((await listEventSignatures()).sort()).toEqual([...slots.keys()].sort());
  });

  test("writes no event while the outcome is unknown", async () => {
    expect(await postSigned(deps, wrap)).toMatchObject({ status: "pending" });
    await deps.clock.advance(600_000);
    expect(await listEventSignatures()).toEqual([]);
  });

  test("does not treat a bug of the service as an upstream failure", async () => {
    deps.beforeCall = ({ method }) => {
      if (method === "send") throw new RangeError("a bug");
    };
    await expect(postSigned(deps, wrap)).rejects.toThrow(RangeError);
  });
});

/** Lets the chain's height follow the clock, one block for each slot of 400 ms. */
function letHeightFollowClock(firstHeight = 1_000): void {
  const { now } = deps.clock;
  const startMs = now();
  deps.chain.getBlockHeight = () => firstHeight + Math.floor((now() - startMs) / 400);
}

/** Sets the system clock a day ahead. Returns a function that sets it right. */
function setClockAhead(): () => void {
  const { clock } = deps;
  const { now } = clock;
  clock.now = () => now() + DAY_MS;
  return () => {
    clock.now = now;
  };
}

/**
 * Lets the height of the chain pass the last valid one by the margin. From the first send on, searches of the history
 * find the transaction in this state.
 */
function showInHistory(state: SignatureState): void {
  deps.chain.getBlockHeight = () => 1_183;
  deps.chain.getStatus = (_, searchesHistory) => (searchesHistory && listSends(deps).length > 0 ? state : null);
}

describe("expiry of a transaction that the service built", () => {
  test("is certain after two readings, 2 s apart and past the height by the margin, the first of which ends the sends", async () => {
    deps.chain.getBlockHeight = () => (listSends(deps).length > 2 ? 1_183 : 1_000);
    await expect(postSigned(deps, wrap)).rejects.toMatchObject({
      code: "transaction_expired",
      details: { txSignature: readSignature(wrap) },
    });
    const [firstReading, secondReading] = listReadings(true).slice(-2);
    expect(secondReading!.timeMs - firstReading!.timeMs).toBeGreaterThanOrEqual(2_000);
    expect(listSends(deps).filter(({ timeMs }) => timeMs > firstReading!.timeMs)).toEqual([]);
  });

  test.each([1_150, 1_151, 1_182])("is not certain at height %i, so the answer is pending", async (height) => {
    deps.chain.getBlockHeight = () => height;
    expect(await postSigned(deps, wrap)).toMatchObject({ status: "pending" });
  });

  test("discards the first proof of expiry when a later reading finds the transaction", async () => {
    deps.chain.getBlockHeight = () => 1_183;
    let lookupCount = 0;
    deps.chain.getStatus = (_, searchesHistory) =>
      searchesHistory && ++lookupCount === 2 ? { slot: 1, error: null, confirmation: "processed" } : null;
    await expect(postSigned(deps, wrap)).rejects.toMatchObject({ code: "transaction_expired" });
    expect(lookupCount).toBe(4);
  });

  test("needs two readings after the height has stepped back, although it was past before", async () => {
    const firstSlot = deps.chain.slot();
    deps.chain.slot = () => firstSlot + 1_000;
    const heights = [1_190, 1_120, 1_195, 1_200];
    let readCount = 0;
    deps.rpc.readHead = async () => ({ slot: firstSlot + 300 + 50 * readCount, height: heights[readCount++] ?? 0 });
    await expect(postSigned(deps, wrap)).rejects.toMatchObject({ code: "transaction_expired" });
    expect(readCount).toBe(4);
  });

  test("is not certain until the slot of the node that answers is past, at any height that other nodes report", async () => {
    deps.chain.getBlockHeight = () => 9_000;
    const slot = deps.chain.slot;
    // The node that answers the states lags. The node that answers the head does not.
    deps.rpc.readSignatureStates = async (signatures) => ({ slot: slot() - 8_000, states: signatures.map(() => null) });
    expect(await postSigned(deps, wrap)).toMatchObject({ status: "pending" });
  });

  test("confirms a transaction that is past its height but in the history", async () => {
    showInHistory(createConfirmedState(60));
    expect(await postSigned(deps, wrap)).toMatchObject({ confirmed: true, slot: 60 });
    expect(await readRecord()).toMatchObject({ slot: 60 });
  });

  test("reports a transaction that failed in the history as failed, not as expired", async () => {
    showInHistory(createConfirmedState(60, { InstructionError: [0, { Custom: 1 }] }));
    await expect(postSigned(deps, wrap)).rejects.toMatchObject({ code: "transaction_failed" });
  });

  test("stays pending while the history reports the transaction as processed or cannot be read", async () => {
    showInHistory({ slot: 1, error: null, confirmation: "processed" });
    expect(await postSigned(deps, wrap)).toMatchObject({ status: "pending" });
    stageOutage(deps, ({ method, args }) => method === "readSignatureStates" && args[1] === true);
    expect(await postSigned(deps, wrap)).toMatchObject({ status: "pending" });
  });

  test("depends on its recorded height alone, without a call about a blockhash", async () => {
    deps.chain.isBlockhashValid = () => false;
    deps.chain.getLatestBlockhash = () => ({ blockhash: createBlockhash(3), lastValidBlockHeight: 9_000 });
    expect(await postSigned(deps, wrap)).toMatchObject({ status: "pending" });
    expect(listCalls(deps)).not.toContain("rpc.isBlockhashValid");
    expect(listCalls(deps)).not.toContain("rpc.readLatestBlockhash");
  });
});

describe("expiry of an app's own transaction", () => {
  test("is certain 150 blocks and the margin after its first posting, once its blockhash is gone", async () => {
    deps.chain.isBlockhashValid = () => false;
    for (const height of [1_000, 1_000 + 150 + 32]) {
      deps.chain.getBlockHeight = () => height;
      expect(await postSigned(deps, buildPayment())).toMatchObject({ status: "pending" });
    }
    deps.chain.getBlockHeight = () => 1_000 + 150 + 33;
    await expect(postSigned(deps, buildPayment())).rejects.toMatchObject({ code: "transaction_expired" });
  });

  test("counts from the newest slot in any answer, not from the slot of the node that returned the height", async () => {
    deps.chain.isBlockhashValid = () => false;
    const { readHead } = deps.rpc;
    deps.rpc.readHead = async () => ({ slot: deps.chain.slot() - 20, height: deps.chain.getBlockHeight() - 20 });
    await postSigned(deps, buildPayment());
    deps.rpc.readHead = readHead;
    deps.chain.getBlockHeight = () => 1_182;
    expect(await postSigned(deps, buildPayment())).toMatchObject({ status: "pending" });
  });

  test("stays pending while a node accepts its blockhash, at any height", async () => {
    await postSigned(deps, buildPayment());
    deps.chain.getBlockHeight = () => 1_000_000;
    deps.chain.isBlockhashValid = (blockhash) => blockhash === createBlockhash(9);
    expect(await postSigned(deps, buildPayment())).toMatchObject({ status: "pending" });
  });

  test("sends and stays pending when no node reports the chain's height", async () => {
    deps.beforeCall = failCalls("readHead");
    expect(await postSigned(deps, buildPayment())).toMatchObject({ status: "pending" });
    expect(listSends(deps).length).toBeGreaterThan(10);
  });

  test.each([false, true])(
    "counts from the first known height if no node returned one at the posting (clock set back: %s)",
    async (isSetBack) => {
      deps.chain.isBlockhashValid = () => false;
      letHeightFollowClock();
      deps.beforeCall = failCalls("readHead");
      const restoreClock = isSetBack ? setClockAhead() : () => {};
      // The relay continues in the background after its answer. A second post of the bytes joins it.
      expect(await postSigned(deps, buildPayment())).toMatchObject({ status: "pending" });
      restoreClock();
      deps.beforeCall = () => {};
      await deps.clock.advance((150 + 32) * 400 + 10_000);
      await expect(postSigned(deps, buildPayment())).rejects.toMatchObject({ code: "transaction_expired" });
    },
  );
});

describe("the number of node calls", () => {
  /** Counts the node calls besides sends in the 25 s after the first call. */
  const countUpstreamCalls = () => {
    const lastMs = deps.calls[0]!.timeMs + 25_000;
    return deps.calls.filter(
      ({ port, method, timeMs }) => port === "rpc" && method !== "send" && method !== "invalidate" && timeMs <= lastMs,
    ).length;
  };

  test.each([1_000, 1_090, 1_120, 1_150, 1_180])(
    "stays within 40 in 25 s besides sends for a stuck relay, from height %i of its blockhash",
    async (height) => {
      letHeightFollowClock(height);
      await postSigned(deps, wrap).catch(() => {});
      expect(countUpstreamCalls()).toBeLessThanOrEqual(40);
    },
  );

  test("is the same for 50 relays as for one", async () => {
    const startMs = deps.clock.now();
    await executePayments(50);
    const polls = listReadings(false).filter(({ timeMs }) => timeMs <= startMs + 25_000);
    expect(polls.length).toBeLessThanOrEqual(40);
    expect(Math.max(...polls.map(({ args }) => (args[0] as string[]).length))).toBe(50);
  });

  test("does not include a second series of sends when the bytes are posted again in flight", async () => {
    const firstCall = startPosting(deps, wrap);
    await deps.clock.advance(5_000);
    const secondCall = startPosting(deps, wrap);
    await runFor(LONG_MS, deps, Promise.all([firstCall, secondCall]));
    expect(Math.min(...measureGaps(listSends(deps)))).toBeGreaterThanOrEqual(1_000);
  });
});

describe("a relay that was answered 202", () => {
  /** Posts the wrap, which stays unknown for 25 s. Returns the number of sends. */
  async function stagePending(): Promise<number> {
    letHeightFollowClock();
    expect(await runFor(25_000, deps, startPosting(deps, wrap))).toMatchObject({ status: "pending" });
    return listSends(deps).length;
  }

  test("keeps sending in the background until it records the landing with its price", async () => {
    const sendCount = await stagePending();
    landAfterSends(deps, sendCount + 4);
    await deps.clock.advance(20_000);
    expect(listSends(deps).length).toBeGreaterThanOrEqual(sendCount + 4);
    // A wrap moves only SOL.
    expect(await readRecord()).toEqual({ slot: 77, error: null, usd: { SOL: deps.currentPrices!.usd.SOL } });
  });

  test("stops polling and sending after certain expiry", async () => {
    await stagePending();
    await deps.clock.advance(60_000);
    deps.calls.length = 0;
    await deps.clock.advance(200_000);
    expect(deps.calls).toEqual([]);
    await expect(postSigned(deps, wrap)).rejects.toMatchObject({ code: "transaction_expired" });
  });

  test.each([false, true])("stops within ten minutes in every case (clock set back: %s)", async (isSetBack) => {
    deps.chain.getBlockHeight = () => 1_000;
    const restoreClock = isSetBack ? setClockAhead() : () => {};
    expect(await postSigned(deps, wrap)).toMatchObject({ status: "pending" });
    restoreClock();
    await deps.clock.advance(600_000);
    deps.calls.length = 0;
    await deps.clock.advance(600_000);
    expect(deps.calls).toEqual([]);
  });

  test("continues at most a hundred relays in the background", async () => {
    await executePayments(130);
    deps.calls.length = 0;
    await deps.clock.advance(1_500);
    expect(new Set(listSends(deps).map(({ bytes }) => readSignature(bytes))).size).toBe(100);
  });

  test("ends within one poll when the process shuts down", async () => {
    await stagePending();
    await runFor(5_000, deps, deps.background.close());
    deps.calls.length = 0;
    await deps.clock.advance(60_000);
    expect(deps.calls).toEqual([]);
  });

  test("follows a request in flight to its answer when the process ends", async () => {
    landAfterSends(deps, 4);
    const answer = startPosting(deps, wrap);
    await deps.clock.advance(1_000);
    const closing = deps.background.close();
    expect(await runFor(LONG_MS, deps, answer)).toMatchObject({ confirmed: true });
    await closing;
  });

  test("does not keep sending a transaction whose blockhash no node knows", async () => {
    deps.chain.simulate = createSimulation("BlockhashNotFound");
    await postSigned(deps, wrap);
    deps.calls.length = 0;
    await deps.clock.advance(60_000);
    expect(listSends(deps)).toEqual([]);
  });
});

describe("a relayed transaction", () => {
  test("drops cached reads of its accounts once it has landed, not before", async () => {
    expect(await postSigned(deps, wrap)).toMatchObject({ status: "pending" });
    expect(listCalls(deps)).not.toContain("rpc.invalidate");
    landAfterSends(deps, 1);
    await postSigned(deps, wrap);
    expect(listArguments(deps, "invalidate")[0]![0]).toEqual(expect.arrayContaining([user.address, serviceWallet]));
  });

  test("keeps the price at confirmation when it is posted again at a different price", async () => {
    landAfterSends(deps, 1);
    await postSigned(deps, wrap);
    setPrices(deps, { usd: { ...PRICES_USD, SOL: 999 } });
    await postSigned(deps, wrap);
    expect(await readRecord()).toMatchObject({ usd: { SOL: 150 } });
  });

  test("is recorded with the prices of all assets if it may move tokens", async () => {
    landAfterSends(deps, 1);
    const transaction = buildTransaction([{ programId: TOKEN_PROGRAM, accounts: [], data: "" }]);
    expect(await postSigned(deps, transaction)).toMatchObject({ confirmed: true });
    const [record] = await readRelayRecords(deps, [readSignature(transaction)]);
    expect(record).toMatchObject({ usd: deps.currentPrices!.usd });
  });

  test("is recorded for 30 days", async () => {
    landAfterSends(deps, 1);
    await postSigned(deps, wrap);
    await deps.clock.advance(30 * DAY_MS - LONG_MS);
    expect(await readRecord()).toMatchObject({ slot: 77 });
    await deps.clock.advance(LONG_MS);
    expect(await readRecord()).toBeNull();
  });

  test("is confirmed although the store fails after the send", async () => {
    landAfterSends(deps, 1);
    deps.beforeCall = ({ method }) => {
      if (method === "setIfAbsent" && listSends(deps).length > 0) throw createOutage();
    };
    expect(await postSigned(deps, wrap)).toMatchObject({ confirmed: true, slot: 77 });
  });
});
