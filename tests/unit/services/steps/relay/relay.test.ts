import { describe, expect, test } from "vitest";
import { DAY_MS } from "../../../../../lib/domain/prices/price-history";
import { readRelayRecords } from "../../../../../lib/services/steps/relay/relay-records";
import { buildSystemTransfer } from "../../../../../lib/solana/system-instructions";
import {
  createBlockhash,
  createConfirmedState,
  type FakeDeps,
  failCalls,
  fakeDeps,
  listCalls,
  listSends,
  outage,
  pricesAt,
  runFor,
} from "../../../../support/fakes/fake-deps";
import {
  buildPayment,
  buildTransaction,
  execute,
  LONG_MS,
  landAfterSends,
  post,
  readSignature,
  stageWrap,
  stranger,
  user,
} from "../../../../support/worlds/relay-rig";

const INSUFFICIENT_FUNDS = { InstructionError: [0, { Custom: 1 }] };

const readRecord = async (deps: FakeDeps, wrap: Uint8Array) => (await readRelayRecords(deps, [readSignature(wrap)]))[0];

describe("a relay", () => {
  test("answers pending after 25 s, with the last valid height of a transaction built here", async () => {
    const { deps, wrap } = await stageWrap();
    const started = deps.clock.now();
    const pending = execute(deps, wrap);
    const answeredAt = pending.then(() => deps.clock.now());
    expect(await runFor(LONG_MS, deps, pending)).toEqual({
      txSignature: readSignature(wrap),
      confirmed: false,
      status: "pending",
      lastValidBlockHeight: 1_150,
      network: "sandbox",
    });
    const waited = (await answeredAt) - started;
    expect(waited).toBeGreaterThan(24_000);
    expect(waited).toBeLessThanOrEqual(25_000);
  });

  test("gives no height for an app's own transaction, because it is unknown", async () => {
    const deps = fakeDeps();
    expect(await post(deps, buildPayment())).toMatchObject({ status: "pending", lastValidBlockHeight: null });
  });

  test("answers a second post of landed bytes as confirmed without sending them again", async () => {
    const { deps, wrap } = await stageWrap();
    expect(await post(deps, wrap)).toMatchObject({ status: "pending" });
    const sends = listSends(deps).length;
    deps.chain.status = () => createConfirmedState(80);
    expect(await post(deps, wrap)).toMatchObject({ confirmed: true, slot: 80 });
    expect(listSends(deps)).toHaveLength(sends);
  });

  test("resends the same bytes every 1 to 2 s until they land, then stops", async () => {
    const { deps, wrap } = await stageWrap();
    landAfterSends(deps, 6);
    expect(await post(deps, wrap)).toMatchObject({ confirmed: true, slot: 77 });
    const sends = listSends(deps);
    expect(sends).toHaveLength(6);
    for (const { bytes } of sends) expect(bytes).toEqual(wrap);
    const gaps = sends.slice(1).map(({ at }, i) => at - sends[i]!.at);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(2_000);
  });

  test("polls once a slot at first and once a second later", async () => {
    const { deps, wrap } = await stageWrap();
    await post(deps, wrap);
    const polls = deps.calls.filter(({ method, args }) => method === "readSignatureStates" && args[1] === false);
    const gaps = polls.slice(1).map(({ at }, i) => at - polls[i]!.at);
    expect(gaps[0]).toBeGreaterThanOrEqual(400);
    expect(gaps[0]).toBeLessThanOrEqual(500);
    expect(gaps.slice(5).every((gap) => gap === 1_000)).toBe(true);
  });

  test.each(["send", "readSignatureStates", "readHead"])(
    "a %s that fails after the first send leads to pending, never to an error",
    async (method) => {
      const { deps, wrap } = await stageWrap();
      deps.before = (call) => {
        if (call.method === method && listSends(deps).length > 0) throw outage();
      };
      expect(await post(deps, wrap)).toMatchObject({ status: "pending", lastValidBlockHeight: 1_150 });
    },
  );

  test("finds the outcome although every upstream fails for ten seconds after the send", async () => {
    const { deps, wrap } = await stageWrap();
    const recoversAt = deps.clock.now() + 10_000;
    deps.before = ({ port, at }) => {
      if (port !== "kv" && at < recoversAt && listSends(deps).length > 0) throw outage();
    };
    deps.chain.status = () => (deps.clock.now() >= recoversAt ? createConfirmedState(90) : null);
    expect(await post(deps, wrap)).toMatchObject({ confirmed: true, slot: 90 });
  });

  test.each([5_000, 20_000])("upstreams that take %i ms each do not delay the answer beyond 25 s", async (slowMs) => {
    const { deps, wrap } = await stageWrap();
    deps.before = async ({ port }) => {
      if (port !== "rpc" || listSends(deps).length === 0) return;
      await deps.clock.sleep(slowMs);
      throw outage();
    };
    const started = deps.clock.now();
    const pending = execute(deps, wrap);
    const answeredAt = pending.then(() => deps.clock.now());
    expect(await runFor(LONG_MS, deps, pending)).toMatchObject({ status: "pending" });
    expect((await answeredAt) - started).toBeLessThanOrEqual(25_000);
  });

  test("does not treat a bug of the service as an upstream failure", async () => {
    const { deps, wrap } = await stageWrap();
    deps.before = ({ method }) => {
      if (method === "send") throw new RangeError("a bug");
    };
    await expect(post(deps, wrap)).rejects.toThrow(RangeError);
  });
});

/** Lets the chain's height follow the clock, one block for each slot of 400 ms. */
function advanceHeights(deps: FakeDeps, from = 1_000, msPerBlock = 400): void {
  const { now } = deps.clock;
  const started = now();
  deps.chain.height = () => from + Math.floor((now() - started) / msPerBlock);
}

/** Sets the system clock a day ahead. Returns a function that sets it right. */
function setClockAhead({ clock }: FakeDeps): () => void {
  const { now } = clock;
  clock.now = () => now() + DAY_MS;
  return () => {
    clock.now = now;
  };
}

const listLookups = (deps: FakeDeps) =>
  deps.calls.filter(
    ({ method, args }) => method === "readSignatureStates" && args[1] === true && listSends(deps).length > 0,
  );

describe("expiry of a transaction that the service built", () => {
  test("is certain after two readings 2 s apart, past the height by the margin, without an entry in the history", async () => {
    const { deps, wrap } = await stageWrap();
    deps.chain.height = () => (listSends(deps).length > 2 ? 1_183 : 1_000);
    await expect(post(deps, wrap)).rejects.toMatchObject({
      code: "transaction_expired",
      details: { txSignature: readSignature(wrap) },
    });
    const [firstLookup, secondLookup] = listLookups(deps).slice(-2);
    expect(secondLookup!.at - firstLookup!.at).toBeGreaterThanOrEqual(2_000);
  });

  test.each([1_150, 1_151, 1_182])("is not certain at height %i, so the answer is pending", async (height) => {
    const { deps, wrap } = await stageWrap();
    deps.chain.height = () => height;
    expect(await post(deps, wrap)).toMatchObject({ status: "pending" });
  });

  test("stops sending once the transaction is certainly past its height", async () => {
    const { deps, wrap } = await stageWrap();
    deps.chain.height = () => (listSends(deps).length > 2 ? 1_183 : 1_000);
    await post(deps, wrap).catch(() => {});
    const proof = listLookups(deps).at(-2)!;
    expect(listSends(deps).filter(({ at }) => at > proof.at)).toEqual([]);
  });

  test("discards the first proof of expiry when a later reading finds the transaction", async () => {
    const { deps, wrap } = await stageWrap();
    deps.chain.height = () => 1_183;
    let lookups = 0;
    deps.chain.status = (_, search) =>
      search && ++lookups === 2 ? { slot: 1, error: null, confirmation: "processed" } : null;
    await expect(post(deps, wrap)).rejects.toMatchObject({ code: "transaction_expired" });
    expect(lookups).toBe(4);
  });

  test("is not certain while the node's own slot is not past, however high other nodes say the chain is", async () => {
    const { deps, wrap } = await stageWrap();
    deps.chain.height = () => 9_000;
    const slot = deps.chain.slot;
    // The statuses come from a node that lags, the head from one that does not.
    deps.rpc.readSignatureStates = async (signatures) => ({ slot: slot() - 8_000, states: signatures.map(() => null) });
    expect(await post(deps, wrap)).toMatchObject({ status: "pending" });
  });

  test("stays pending when a reported height rose faster than the slots", async () => {
    const { deps, wrap } = await stageWrap();
    const slot = deps.chain.slot() + 100;
    deps.chain.slot = () => slot;
    deps.chain.height = () => 1_183;
    expect(await post(deps, wrap)).toMatchObject({ status: "pending" });
  });

  test("confirms a transaction that is past its height but in the history", async () => {
    const { deps, wrap } = await stageWrap();
    deps.chain.height = () => 1_183;
    deps.chain.status = (_, searchHistory) =>
      searchHistory && listSends(deps).length > 0 ? createConfirmedState(60) : null;
    expect(await post(deps, wrap)).toMatchObject({ confirmed: true, slot: 60 });
    expect(await readRecord(deps, wrap)).toMatchObject({ slot: 60 });
  });

  test("reports a transaction that failed in the history as failed, not as expired", async () => {
    const { deps, wrap } = await stageWrap();
    deps.chain.height = () => 1_183;
    deps.chain.status = (_, history) =>
      history && listSends(deps).length > 0 ? createConfirmedState(60, INSUFFICIENT_FUNDS) : null;
    await expect(post(deps, wrap)).rejects.toMatchObject({ code: "transaction_failed" });
  });

  test("stays pending while the history cannot be read or reports the transaction as processed", async () => {
    for (const history of ["down", "processed"]) {
      const { deps, wrap } = await stageWrap();
      deps.chain.height = () => 1_183;
      deps.before = ({ method, args }) => {
        const lookup = method === "readSignatureStates" && args[1] === true && listSends(deps).length > 0;
        if (lookup && history === "down") throw outage();
      };
      deps.chain.status = (_, search) =>
        search && listSends(deps).length > 0 ? { slot: 1, error: null, confirmation: "processed" } : null;
      expect(await post(deps, wrap)).toMatchObject({ status: "pending" });
    }
  });

  test("depends on its recorded height alone, without a call about a blockhash", async () => {
    const { deps, wrap } = await stageWrap();
    deps.chain.blockhashValid = () => false;
    deps.chain.latest = () => ({ blockhash: createBlockhash(3), lastValidBlockHeight: 9_000 });
    expect(await post(deps, wrap)).toMatchObject({ status: "pending" });
    expect(listCalls(deps)).not.toContain("rpc.isBlockhashValid");
    expect(listCalls(deps)).not.toContain("rpc.readLatestBlockhash");
  });
});

describe("expiry of an app's own transaction", () => {
  test("stays pending when only its blockhash is unknown", async () => {
    const deps = fakeDeps();
    deps.chain.blockhashValid = () => false;
    expect(await post(deps, buildPayment())).toMatchObject({ status: "pending" });
  });

  test("is certain 150 blocks and the margin after its first posting, once its blockhash is gone", async () => {
    const deps = fakeDeps();
    deps.chain.blockhashValid = () => false;
    await post(deps, buildPayment());
    deps.chain.height = () => 1_000 + 150 + 32;
    expect(await post(deps, buildPayment())).toMatchObject({ status: "pending" });
    deps.chain.height = () => 1_000 + 150 + 33;
    await expect(post(deps, buildPayment())).rejects.toMatchObject({ code: "transaction_expired" });
  });

  test("counts from the first posting in any process", async () => {
    const deps = fakeDeps();
    deps.chain.blockhashValid = () => false;
    await post(deps, buildPayment());
    deps.chain.height = () => 1_100;
    await post(deps, buildPayment());
    const otherProcess = fakeDeps(() => deps.kv);
    otherProcess.chain.blockhashValid = () => false;
    otherProcess.chain.height = () => 1_183;
    await expect(post(otherProcess, buildPayment())).rejects.toMatchObject({ code: "transaction_expired" });
  });

  test("counts from the newest slot in any answer, not from the slot of the node that returned the height", async () => {
    const deps = fakeDeps();
    deps.chain.blockhashValid = () => false;
    const { readHead } = deps.rpc;
    deps.rpc.readHead = async () => ({ slot: deps.chain.slot() - 20, height: deps.chain.height() - 20 });
    await post(deps, buildPayment());
    deps.rpc.readHead = readHead;
    deps.chain.height = () => 1_182;
    expect(await post(deps, buildPayment())).toMatchObject({ status: "pending" });
  });

  test("stays pending while a node accepts its blockhash, at any height", async () => {
    const deps = fakeDeps();
    await post(deps, buildPayment());
    deps.chain.height = () => 1_000_000;
    deps.chain.blockhashValid = (blockhash) => blockhash === createBlockhash(9);
    expect(await post(deps, buildPayment())).toMatchObject({ status: "pending" });
  });

  test("does not apply to a transaction in the history, which is confirmed", async () => {
    const deps = fakeDeps();
    deps.chain.blockhashValid = () => false;
    deps.chain.height = () => 1_000_000;
    deps.chain.status = () => (listSends(deps).length > 1 ? createConfirmedState(61) : null);
    expect(await post(deps, buildPayment())).toMatchObject({ confirmed: true, slot: 61 });
  });

  test("sends and stays pending when no node reports the chain's height", async () => {
    const deps = fakeDeps();
    deps.before = failCalls("readHead");
    expect(await post(deps, buildPayment())).toMatchObject({ status: "pending" });
    expect(listSends(deps).length).toBeGreaterThan(10);
  });

  test.each([false, true])(
    "counts from the first known height if no node returned one at the posting (clock set back: %s)",
    async (isSetBack) => {
      const deps = fakeDeps();
      deps.chain.blockhashValid = () => false;
      advanceHeights(deps);
      deps.before = failCalls("readHead");
      const restoreClock = isSetBack ? setClockAhead(deps) : () => {};
      // The relay continues in the background after its answer. A second post of the bytes joins it.
      expect(await post(deps, buildPayment())).toMatchObject({ status: "pending" });
      restoreClock();
      deps.before = () => {};
      await deps.clock.advance((150 + 32) * 400 + 10_000);
      await expect(post(deps, buildPayment())).rejects.toMatchObject({ code: "transaction_expired" });
    },
  );
});

describe("the number of node calls", () => {
  const listUpstreamCalls = (deps: FakeDeps) =>
    deps.calls.filter(({ port, method }) => port === "rpc" && method !== "send" && method !== "invalidate");

  test("stays within 40 in 25 s besides sends, whenever the blockhash of a stuck relay expires", async () => {
    for (const from of [1_000, 1_090, 1_120, 1_150, 1_180]) {
      const { deps, wrap } = await stageWrap();
      advanceHeights(deps, from);
      await post(deps, wrap).catch(() => {});
      const { at } = deps.calls[0]!;
      expect(listUpstreamCalls(deps).filter((call) => call.at <= at + 25_000).length).toBeLessThanOrEqual(40);
    }
  });

  test.each<[string, (deps: FakeDeps) => void]>([
    ["nodes never agree on its expiry", ({ chain }) => (chain.slot = () => 10_000_000)],
    ["no node reports the chain's height", (deps) => (deps.before = failCalls("readHead"))],
  ])("stays within 40 for a stuck relay even if %s", async (_what, stage) => {
    const { deps, wrap } = await stageWrap();
    stage(deps);
    expect(await post(deps, wrap)).toMatchObject({ status: "pending" });
    const { at } = deps.calls[0]!;
    expect(listUpstreamCalls(deps).filter((call) => call.at <= at + 25_000).length).toBeLessThanOrEqual(40);
  });

  test("is the same for 50 relays as for one", async () => {
    const deps = fakeDeps();
    const transactions = Array.from({ length: 50 }, (_, i) =>
      buildTransaction([buildSystemTransfer(user.address, stranger.address, BigInt(i + 1))]),
    );
    const answers = Promise.all(transactions.map((transaction) => execute(deps, transaction)));
    const started = deps.clock.now();
    await runFor(LONG_MS, deps, answers);
    const polls = deps.calls.filter(
      ({ method, args, at }) => method === "readSignatureStates" && args[1] === false && at <= started + 25_000,
    );
    expect(polls.length).toBeLessThanOrEqual(40);
    expect(Math.max(...polls.map(({ args }) => (args[0] as string[]).length))).toBe(50);
  });

  test("does not include a second series of sends when the bytes are posted again in flight", async () => {
    const { deps, wrap } = await stageWrap();
    const firstCall = execute(deps, wrap);
    await deps.clock.advance(5_000);
    const secondCall = execute(deps, wrap);
    await runFor(LONG_MS, deps, Promise.all([firstCall, secondCall]));
    const gaps = listSends(deps)
      .slice(1)
      .map(({ at }, i) => at - listSends(deps)[i]!.at);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000);
  });
});

describe("a relay that was answered 202", () => {
  async function stagePending() {
    const { deps, wrap } = await stageWrap();
    advanceHeights(deps);
    const answer = execute(deps, wrap);
    expect(await runFor(25_000, deps, answer)).toMatchObject({ status: "pending" });
    return { deps, wrap, sends: listSends(deps).length };
  }

  test("keeps sending in the background until it records the landing with its price", async () => {
    const { deps, wrap, sends } = await stagePending();
    landAfterSends(deps, sends + 4);
    await deps.clock.advance(20_000);
    expect(listSends(deps).length).toBeGreaterThanOrEqual(sends + 4);
    expect(await readRecord(deps, wrap)).toEqual({ slot: 77, error: null, usd: deps.quoted.current!.usd });
    deps.calls.length = 0;
    expect(await post(deps, wrap)).toMatchObject({ confirmed: true, slot: 77 });
    expect(listCalls(deps)).toEqual(Array(2).fill("kv.getMany"));
  });

  test("stops polling and sending after certain expiry", async () => {
    const { deps, wrap } = await stagePending();
    await deps.clock.advance(60_000);
    deps.calls.length = 0;
    await deps.clock.advance(200_000);
    expect(deps.calls).toEqual([]);
    await expect(post(deps, wrap)).rejects.toMatchObject({ code: "transaction_expired" });
  });

  test.each([false, true])("stops within ten minutes in every case (clock set back: %s)", async (isSetBack) => {
    const { deps, wrap } = await stageWrap();
    deps.chain.height = () => 1_000;
    const restoreClock = isSetBack ? setClockAhead(deps) : () => {};
    expect(await post(deps, wrap)).toMatchObject({ status: "pending" });
    restoreClock();
    await deps.clock.advance(600_000);
    deps.calls.length = 0;
    await deps.clock.advance(600_000);
    expect(deps.calls).toEqual([]);
  });

  test("continues at most a hundred relays in the background", async () => {
    const deps = fakeDeps();
    const transactions = Array.from({ length: 130 }, (_, i) =>
      buildTransaction([buildSystemTransfer(user.address, stranger.address, BigInt(i + 1))]),
    );
    await runFor(LONG_MS, deps, Promise.all(transactions.map((transaction) => execute(deps, transaction))));
    deps.calls.length = 0;
    await deps.clock.advance(1_500);
    expect(new Set(listSends(deps).map(({ bytes }) => readSignature(bytes))).size).toBe(100);
  });

  test("ends within one poll when the process shuts down", async () => {
    const { deps } = await stagePending();
    await runFor(5_000, deps, deps.background.close());
    deps.calls.length = 0;
    await deps.clock.advance(60_000);
    expect(deps.calls).toEqual([]);
  });

  test("follows a request in flight to its answer when the process ends", async () => {
    const { deps, wrap } = await stageWrap();
    landAfterSends(deps, 4);
    const answer = execute(deps, wrap);
    await deps.clock.advance(1_000);
    const closing = deps.background.close();
    expect(await runFor(LONG_MS, deps, answer)).toMatchObject({ confirmed: true });
    await closing;
  });

  test("does not keep sending a transaction whose blockhash no node knows", async () => {
    const { deps, wrap } = await stageWrap();
    deps.chain.simulation = () => ({ error: "BlockhashNotFound", logs: [], unitsConsumed: 0 });
    await post(deps, wrap);
    deps.calls.length = 0;
    await deps.clock.advance(60_000);
    expect(listSends(deps)).toEqual([]);
  });
});

describe("a relayed transaction", () => {
  test("drops cached reads of its accounts once it has landed, not before", async () => {
    const { deps, wrap, service } = await stageWrap();
    expect(await post(deps, wrap)).toMatchObject({ status: "pending" });
    expect(listCalls(deps)).not.toContain("rpc.invalidate");
    landAfterSends(deps, 1);
    await post(deps, wrap);
    const invalidated = deps.calls.find(({ method }) => method === "invalidate")!.args[0];
    expect(invalidated).toEqual(expect.arrayContaining([user.address, service]));
  });

  test("keeps the price at confirmation when it is posted again at a different price", async () => {
    const { deps, wrap } = await stageWrap();
    landAfterSends(deps, 1);
    await post(deps, wrap);
    expect(await readRecord(deps, wrap)).toEqual({ slot: 77, error: null, usd: deps.quoted.current!.usd });
    deps.quoted.current = pricesAt(deps.clock.now(), { usd: { ...deps.quoted.current!.usd, SOL: 999 } });
    await post(deps, wrap);
    expect(await readRecord(deps, wrap)).toMatchObject({ usd: { SOL: 150 } });
  });

  test("is confirmed to both of two simultaneous posts and gets one record", async () => {
    const { deps, wrap } = await stageWrap();
    landAfterSends(deps, 4);
    let price = 100;
    deps.before = ({ method }) => {
      if (method === "readCurrent")
        deps.quoted.current = pricesAt(deps.clock.now(), { usd: { BTC: 1, ETH: 1, SOL: ++price, USDC: 1, USDT: 1 } });
    };
    const [firstAnswer, secondAnswer] = await Promise.all([post(deps, wrap), post(deps, wrap)]);
    expect(firstAnswer).toEqual(secondAnswer);
    expect(await readRecord(deps, wrap)).toMatchObject({ usd: { SOL: 101 } });
  });

  test("never gets a price later that was not available at confirmation", async () => {
    const { deps, wrap } = await stageWrap();
    landAfterSends(deps, 1);
    deps.quoted.current = null;
    expect(await post(deps, wrap)).toMatchObject({ confirmed: true });
    deps.quoted.current = pricesAt(deps.clock.now());
    await post(deps, wrap);
    expect(await readRecord(deps, wrap)).toMatchObject({ usd: null });
  });

  test("gets no price if it landed before its first post", async () => {
    const { deps, wrap } = await stageWrap();
    landAfterSends(deps, 0);
    expect(await post(deps, wrap)).toMatchObject({ confirmed: true });
    expect(await readRecord(deps, wrap)).toEqual({ slot: 77, error: null, usd: null });
  });

  test("is recorded in 120 bytes, for 30 days", async () => {
    const { deps, wrap } = await stageWrap();
    landAfterSends(deps, 1);
    await post(deps, wrap);
    const [key, value] = deps.calls.findLast(({ method }) => method === "setIfAbsent")!.args as [string, unknown];
    expect(key.length + JSON.stringify(value).length).toBeLessThanOrEqual(120);
    await deps.clock.advance(30 * DAY_MS - LONG_MS);
    expect(await readRecord(deps, wrap)).toMatchObject({ slot: 77 });
    await deps.clock.advance(LONG_MS);
    expect(await readRecord(deps, wrap)).toBeNull();
  });

  test("is confirmed although the store fails after the send", async () => {
    const { deps, wrap } = await stageWrap();
    landAfterSends(deps, 1);
    deps.before = ({ method }) => {
      if (method === "setIfAbsent" && listSends(deps).length > 0) throw outage();
    };
    expect(await post(deps, wrap)).toMatchObject({ confirmed: true, slot: 77 });
  });
});
