import { describe, expect, test, vi } from "vitest";
import { NotAsShown } from "@/lib/domain/not-as-shown";
import { createCalls } from "@/lib/sdk/calls/calls";
import { createFlow, type Flow } from "@/lib/sdk/flow/engine";
import { type FlowRecord, getRecordKey, parseRecord } from "@/lib/sdk/flow/record";
import type { BuildResult, FlowContext, FlowSpec } from "@/lib/sdk/flow/types";
import { createMemoryStorage, createProcessLock, type Fetch } from "@/lib/sdk/platform";
import { signWithKey } from "@/lib/sdk/sign/transactions";
import { buildSystemTransfer } from "@/lib/solana/system-instructions";
import { createSleepClock } from "../../../support/fakes/manual-clock";
import { createOpenPriceGuard } from "../../../support/fakes/open-price-guard";
import { composeBase64 } from "../../../support/fixtures/test-transactions";
import { toTestWallet } from "../../../support/fixtures/test-wallets";

/** How long the service says that each transaction is valid. */
const VALID_FOR_MS = 30_000;
const { address: wallet, keys } = toTestWallet("payer");
const signTransfer = async (transaction: string) => signWithKey(transaction, keys);

/** A request is a list of names. Each name becomes one transaction. */
type Request = string[];
interface Build extends BuildResult {
  names: string[];
}

/** Creates a transaction of this name. `buildNumber` distinguishes builds of one name, as their blockhashes do. */
const createTransfer = (name: string, buildNumber: number) =>
  composeBase64(wallet, [buildSystemTransfer(wallet, wallet, BigInt(name.charCodeAt(0) * 1000 + buildNumber))]);

const getRemainingRequest = (request: Request, done: FlowRecord<Request, string>["done"]) => {
  const remainingNames = request.filter((name) => !done.some(({ about }) => about === name));
  return remainingNames.length > 0 ? remainingNames : null;
};

/** Creates a call that waits for the test's `answer`. `isCalled` resolves with the first call. */
function createPausedCall<T>() {
  let [resolveCalled, answer] = [() => {}, (_value: T) => {}];
  const isCalled = new Promise<void>((resolve) => {
    resolveCalled = resolve;
  });
  const answered = new Promise<T>((resolve) => {
    answer = resolve;
  });
  const call = () => {
    resolveCalled();
    return answered;
  };
  return { call, isCalled, answer };
}

/** Starts a payment and confirms its review. */
async function startAndConfirm(flow: Flow<Request, Build, string>, names: Request): Promise<void> {
  await flow.start(names);
  await flow.confirm();
}

/** An answer of the service. A function runs first, and then the transaction lands. */
type Answer = (() => Promise<void>) | [status: number, code: string] | "landed" | "lost";

const CONFIRMED = { confirmed: true, status: "confirmed", slot: 1, network: "sandbox" };

/** Creates a service, storage and clock for a first tab and any others. After these answers, every transaction lands. */
function createTestService(...answers: Answer[]) {
  const posted: string[] = [];
  const landed: string[] = [];
  const fetch: Fetch = async (_address, init) => {
    posted.push(JSON.parse(String(init.body)).signedTransaction);
    const answer = answers.shift() ?? "landed";
    if (answer === "lost") throw new TypeError("fetch failed");
    if (typeof answer === "function") await answer();
    if (typeof answer !== "object")
      return Response.json({ ok: true, data: { ...CONFIRMED, txSignature: `sig${posted.length}` } });
    const [status, code] = answer;
    return Response.json({ ok: false, error: `It is ${code}.`, code }, { status });
  };
  const clock = createSleepClock(1_000_000);
  const storage = createMemoryStorage();
  const lock = createProcessLock();
  const readRecord = () => parseRecord<Request, string>(storage.get(getRecordKey("test", wallet)) as string | null);
  const storeRecord = (record: object) => storage.set(getRecordKey("test", wallet), JSON.stringify(record));
  const calls = createCalls({ baseUrl: "", fetch, clock });
  let buildCount = 0;
  const openTab = (
    overrides: Partial<FlowSpec<Request, Build, string>> = {},
    contextChanges: Partial<FlowContext<string>> = {},
  ) => {
    const builtRequests: Request[] = [];
    const spec: FlowSpec<Request, Build, string> = {
      name: "test",
      wallet,
      async build(_calls, names) {
        builtRequests.push(names);
        return { ready: true, reason: null, names };
      },
      listSteps: ({ names }) =>
        names.map((name) => ({
          label: name,
          transaction: createTransfer(name, buildCount++),
          validForMs: VALID_FOR_MS,
          about: name,
        })),
      verify: async (build) => build,
      getRemainingRequest,
      ...overrides,
    };
    const onLanded = (about: string) => void landed.push(about);
    const context = {
      calls,
      clock,
      storage,
      lock,
      prices: createOpenPriceGuard(),
      openSigner: async () => signTransfer,
      onLanded,
    };
    return { flow: createFlow(spec, () => ({ ...context, ...contextChanges })), builtRequests };
  };
  const passTime = (ms: number) => void clock.sleep(ms);
  return { ...openTab(), openTab, posted, landed, readRecord, storeRecord, storage, passTime };
}

/** A record of an earlier page load, with the first of two transactions in flight. */
const EARLIER_RECORD = { request: ["a", "b"], done: [], inFlight: { label: "a", about: "a", signed: "bytes" } };

describe("a refusal that a stranger may have caused", () => {
  /** Creates a service with these answers, and a flow that logs whether each build was to expect transfers. */
  function createRefusingService(...answers: Answer[]) {
    const testService = createTestService(...answers);
    const expectationLog: (boolean | undefined)[] = [];
    const { flow } = testService.openTab({
      build: async (_calls, names, expectsTransfers) => {
        expectationLog.push(expectsTransfers);
        return { ready: true, reason: null, names };
      },
      isBlockableByTransfer: (name) => name !== "sale",
    });
    return { ...testService, flow, expectationLog };
  }
  const SIMULATION_FAILURE: Answer = [422, "simulation_failed"];

  test("leads to a build that expects transfers, with an explanation", async () => {
    const { flow, expectationLog, landed } = createRefusingService(SIMULATION_FAILURE, "landed");
    await startAndConfirm(flow, ["a"]);
    expect(flow.getState()).toMatchObject({
      phase: "review",
      note: expect.stringMatching(/refused.*sending a little to it/),
    });
    await flow.confirm();
    expect([flow.getState().phase, landed, expectationLog]).toEqual(["done", ["a"], [false, true]]);
    await flow.start(["b"]);
    expect(expectationLog.at(-1)).toBe(false);
  });

  test("fails if the service also refuses the build that expects transfers", async () => {
    const { flow, expectationLog } = createRefusingService(SIMULATION_FAILURE, SIMULATION_FAILURE);
    await startAndConfirm(flow, ["a"]);
    await flow.confirm();
    expect(flow.getState()).toMatchObject({ phase: "failed", error: { code: "simulation_failed" } });
    await flow.start(["a"]);
    expect(expectationLog).toEqual([false, true, true]);
  });

  test.each([
    ["another refusal", "a", "fee_missing"],
    ["a step that no transfer can block", "sale", "simulation_failed"],
  ])("does not lead to a build that expects transfers for %s", async (_caseName, name, code) => {
    const { flow, expectationLog } = createRefusingService([422, code]);
    await startAndConfirm(flow, [name]);
    expect([flow.getState().phase, expectationLog]).toEqual(["failed", [false]]);
  });
});

describe("a payment of several transactions", () => {
  test("is relayed in order, and only after the confirmation", async () => {
    const { flow, posted, readRecord, landed } = createTestService();
    await flow.start(["a", "b"]);
    expect([flow.getState().phase, posted.length]).toEqual(["review", 0]);
    await flow.confirm();
    expect(flow.getState().phase).toBe("done");
    expect(flow.getState().record?.done.map(({ label, txSignature }) => [label, txSignature])).toEqual([
      ["a", "sig1"],
      ["b", "sig2"],
    ]);
    expect(landed).toEqual(["a", "b"]);
    expect(readRecord()).toBeNull();
  });

  test.each(["simulation_failed", "transaction_failed"])(
    "fails with the reason after %s, without an automatic rebuild",
    async (code) => {
      const { flow, builtRequests, posted, readRecord } = createTestService("landed", [422, code]);
      await startAndConfirm(flow, ["a", "b"]);
      expect(flow.getState()).toMatchObject({ phase: "failed", error: { code, message: `It is ${code}.` } });
      expect([builtRequests.length, posted.length]).toEqual([1, 2]);
      expect(readRecord()).toMatchObject({ done: [{ label: "a" }], inFlight: null });
      await flow.renew(null);
      expect(builtRequests[1]).toEqual(["b"]);
    },
  );

  test("is not rebuilt by a late renewal once it is closed or being signed", async () => {
    const { flow, builtRequests } = createTestService();
    await flow.start(["a"]);
    flow.close();
    await flow.renew(null);
    expect(flow.getState().phase).toBe("idle");
    await flow.start(["a"]);
    const confirmation = flow.confirm();
    await flow.renew(null, true);
    await confirmation;
    expect(flow.getState().phase).toBe("done");
    expect(builtRequests).toHaveLength(2);
  });

  describe("with a second build for the rest", () => {
    /** Builds one name at a time. */
    const ONE_NAME_PER_BUILD = {
      build: async (_calls: unknown, [name]: Request) => ({ ready: true, reason: null, names: [name!] }),
    };

    test("signs a second build that the first review covers", async () => {
      const { openTab, posted } = createTestService();
      const { flow } = openTab({ ...ONE_NAME_PER_BUILD, isCoveredByReview: ({ names }) => names[0] === "b" });
      await flow.start(["a", "b", "c"]);
      const coveredReviews: unknown[] = [];
      flow.subscribe(() => {
        const { phase, build, isContinuing } = flow.getState();
        if (phase === "review") coveredReviews.push([build.names[0], isContinuing]);
      });
      await flow.confirm();
      expect(coveredReviews, "a page can keep showing the run").toEqual([
        ["b", true],
        ["c", false],
      ]);
      expect(flow.getState()).toMatchObject({ phase: "review", build: { names: ["c"] } });
      expect(posted).toHaveLength(2);
    });

    test("does not sign a covered build that fails verification", async () => {
      const { openTab, posted } = createTestService();
      const verify = async (build: Build) => {
        if (build.names[0] === "b") throw new NotAsShown("other_amount");
        return build;
      };
      const { flow } = openTab({ ...ONE_NAME_PER_BUILD, verify, isCoveredByReview: () => true });
      await startAndConfirm(flow, ["a", "b"]);
      expect([flow.getState().phase, posted.length]).toEqual(["failed", 1]);
    });

    test("shows a review after an interruption even if the first review covers the rest", async () => {
      const { openTab, posted } = createTestService([422, "transaction_expired"]);
      const { flow } = openTab({ ...ONE_NAME_PER_BUILD, isCoveredByReview: () => true });
      await startAndConfirm(flow, ["a", "b"]);
      expect([flow.getState().phase, posted.length]).toEqual(["review", 1]);
    });
  });

  test("verifies the build again before it signs", async () => {
    const { openTab, posted } = createTestService();
    const signer = vi.fn(signTransfer);
    let verificationCount = 0;
    const verify = async (build: Build) => {
      if (verificationCount++ > 0) throw new NotAsShown("total");
      return build;
    };
    const { flow } = openTab({ verify }, { openSigner: async () => signer });
    await startAndConfirm(flow, ["a"]);
    expect(flow.getState()).toMatchObject({ phase: "failed", error: { reason: "total" } });
    expect([signer.mock.calls, posted]).toEqual([[], []]);
  });

  test("neither shows nor signs a transaction that fails verification", async () => {
    const { openTab, posted } = createTestService();
    const signer = vi.fn(signTransfer);
    const verify = () => Promise.reject(new Error("It sends more SOL than was shown."));
    const { flow } = openTab({ verify }, { openSigner: async () => signer });
    await flow.start(["a"]);
    expect(flow.getState()).toMatchObject({ phase: "failed", hasBeenShown: false, unsignedSteps: [] });
    await flow.confirm();
    expect(flow.getState()).toMatchObject({ phase: "failed", error: { message: "It sends more SOL than was shown." } });
    expect(signer).not.toHaveBeenCalled();
    expect(posted).toHaveLength(0);
  });

  test.each([
    ["a key", undefined, VALID_FOR_MS - 5_000],
    ["a person in a wallet", 10_000, VALID_FOR_MS - 15_000],
  ])(
    "is not asked of %s once too little time is left, but leads to a new review",
    async (_signer, signingMs, endMs) => {
      for (const [elapsedMs, phase] of [
        [endMs - 1, "done"],
        [endMs, "review"],
      ] as const) {
        const { openTab, posted, passTime } = createTestService();
        const signer = vi.fn(signTransfer);
        const openSigner = async () => {
          passTime(elapsedMs);
          return signer;
        };
        const { flow, builtRequests } = openTab({}, { openSigner, signingMs });
        await startAndConfirm(flow, ["a"]);
        expect(flow.getState().phase).toBe(phase);
        if (phase === "done") continue;
        expect(flow.getState().note).toContain("The quote expired");
        expect([builtRequests.length, posted.length, signer.mock.calls.length]).toEqual([2, 0, 0]);
      }
    },
  );

  test("is asked for the next transaction only while enough time is left, and otherwise for a new build", async () => {
    const { openTab, posted, passTime } = createTestService();
    const signSlowly = (transaction: string) => {
      passTime(16_000);
      return signTransfer(transaction);
    };
    const { flow, builtRequests } = openTab({}, { openSigner: async () => signSlowly, signingMs: 10_000 });
    await startAndConfirm(flow, ["a", "b"]);
    expect(flow.getState()).toMatchObject({ phase: "review", note: expect.stringContaining("This is the next one") });
    expect([builtRequests, posted.length]).toEqual([[["a", "b"], ["b"]], 1]);
  });

  test("is asked at once where blockhashes live for a few seconds only", async () => {
    const { openTab } = createTestService();
    const listSteps = ({ names }: Build) =>
      names.map((name) => ({ label: name, transaction: createTransfer(name, 1), validForMs: 3_000, about: name }));
    const { flow } = openTab({ listSteps }, { signingMs: 10_000 });
    await startAndConfirm(flow, ["a"]);
    expect(flow.getState().phase).toBe("done");
  });
});

describe("the signer", () => {
  const decline = () => Promise.reject(new Error("declined"));
  const signAnother = () => signTransfer(createTransfer("another", 999));
  test.each<[string, FlowContext<string>["openSigner"], unknown]>([
    ["does not open", decline, { message: "declined" }],
    ["declines", async () => decline, expect.any(Error)],
    ["returns an unsigned transaction", async () => async (transaction) => transaction, expect.any(Error)],
    ["returns bytes that are not a transaction", async () => async () => "?", expect.any(Error)],
    ["signs another transaction", async () => signAnother, { reason: "changed_by_wallet" }],
  ])("that %s leads back to the review with the reason, and nothing is sent", async (_title, openSigner, signError) => {
    const { openTab, posted, readRecord } = createTestService();
    const { flow } = openTab({}, { openSigner });
    await startAndConfirm(flow, ["a"]);
    expect(flow.getState()).toMatchObject({ phase: "review", signError });
    expect([posted.length, readRecord()]).toEqual([0, null]);
  });
});

describe("an unknown outcome", () => {
  test("is checked with the same bytes before anything is built", async () => {
    const { flow, builtRequests, posted, readRecord } = createTestService([500, "internal"]);
    await startAndConfirm(flow, ["a", "b"]);
    expect(flow.getState().phase).toBe("unknown");
    expect(builtRequests).toHaveLength(1);
    expect(readRecord()?.inFlight?.signed).toBe(posted[0]);
    await flow.checkAgain();
    expect(posted[1]).toBe(posted[0]);
    expect(flow.getState()).toMatchObject({ phase: "review", record: { done: [{ label: "a" }] } });
    expect(builtRequests[1]).toEqual(["b"]);
  });

  test("cannot be discarded while the transaction may land", async () => {
    const { flow, posted, readRecord } = createTestService([500, "internal"], [500, "internal"]);
    await startAndConfirm(flow, ["a"]);
    await flow.discard();
    expect(flow.getState()).toMatchObject({ phase: "unknown", note: expect.stringContaining("may still arrive") });
    expect(readRecord()?.inFlight?.signed).toBe(posted[0]);
    flow.close();
    await flow.start(["a"]);
    expect(flow.getState().phase).toBe("done");
    expect(new Set(posted).size).toBe(1);
  });

  test.each<[string, Answer]>([
    ["landed", "landed"],
    ["expired", [422, "transaction_expired"]],
    ["failed on the chain", [422, "transaction_failed"]],
  ])("is discarded once the transaction has %s", async (_caseName, answer) => {
    const { flow, builtRequests, posted, readRecord } = createTestService([500, "internal"], answer);
    await startAndConfirm(flow, ["a", "b"]);
    await flow.discard();
    expect([flow.getState().phase, readRecord(), builtRequests.length]).toEqual(["idle", null, 1]);
    expect(posted).toEqual([posted[0], posted[0]]);
  });

  test("that lands but cannot be stored is not paid again", async () => {
    const { openTab, posted, landed, storage } = createTestService();
    const setOrThrow: typeof storage.set = (key, value) => {
      if (posted.length > 0) throw new Error("full");
      return storage.set(key, value);
    };
    const { flow } = openTab({}, { storage: { ...storage, set: setOrThrow } });
    await startAndConfirm(flow, ["a"]);
    expect(flow.getState()).toMatchObject({ phase: "failed", record: { done: [{ label: "a" }], inFlight: null } });
    expect(landed).toEqual(["a"]);
    const laterTab = openTab();
    await laterTab.flow.start(["a"]);
    expect([laterTab.flow.getState().phase, new Set(posted).size]).toEqual(["done", 1]);
  });

  test("from an earlier page load is stored even if the user closes the payment", async () => {
    const post = createPausedCall<void>();
    const { flow, storeRecord, readRecord } = createTestService(post.call);
    storeRecord(EARLIER_RECORD);
    const pendingResume = flow.resume();
    await post.isCalled;
    expect(flow.getState().phase).toBe("running");
    flow.close();
    expect(flow.getState().phase).toBe("idle");
    post.answer();
    await pendingResume;
    expect(readRecord()).toMatchObject({ done: [{ label: "a" }], inFlight: null });
  });
});

test("the flow stores the outcome of posted bytes after the user has started another payment", async () => {
  const post = createPausedCall<void>();
  const { flow, posted, readRecord, landed } = createTestService(post.call);
  await flow.start(["a", "b"]);
  const confirmation = flow.confirm();
  await post.isCalled;
  await flow.start(["c"]);
  post.answer();
  await confirmation;
  expect(readRecord()).toMatchObject({ request: ["a", "b"], done: [{ label: "a" }], inFlight: null });
  expect([landed, posted.length]).toEqual([["a"], 1]);
  expect(flow.getState()).toMatchObject({ phase: "review", record: { request: ["c"], done: [] } });
});

describe("storage that throws", () => {
  const throwBroken = () => {
    throw new Error("Storage is broken.");
  };
  /** Makes a flow's storage throw. */
  const breakStorage = (storage: FlowContext<string>["storage"]) =>
    void Object.assign(storage, { get: throwBroken, set: throwBroken });

  test("fails a discard that interrupts a build", async () => {
    const { openTab, storage } = createTestService();
    const build = createPausedCall<Build>();
    const { flow } = openTab({ build: build.call });
    const pendingStart = flow.start(["a"]);
    await build.isCalled;
    breakStorage(storage);
    await expect(flow.discard()).rejects.toThrow("Storage is broken.");
    expect(flow.getState()).toMatchObject({ phase: "failed", error: { message: "Storage is broken." } });
    build.answer({ ready: true, reason: null, names: ["a"] });
    await pendingStart;
    expect(flow.getState().phase).toBe("failed");
  });

  test("fails a discard that cannot store an outcome", async () => {
    const { openTab, storage, readRecord, posted } = createTestService([500, "internal"], async () =>
      breakStorage(flowStorage),
    );
    const flowStorage = { ...storage };
    const { flow } = openTab({}, { storage: flowStorage });
    await startAndConfirm(flow, ["a"]);
    await expect(flow.discard()).rejects.toThrow("Storage is broken.");
    expect(flow.getState()).toMatchObject({ phase: "failed", record: { done: [{ label: "a" }] } });
    expect(readRecord()?.inFlight?.signed).toBe(posted[0]);
  });
});

describe("two tabs of one browser", () => {
  /** Opens two tabs that review the same payment, and confirms it in the first one. */
  async function confirmInFirstTab(names: Request, ...answers: Answer[]) {
    const testService = createTestService(...answers);
    const [firstTab, secondTab] = [testService.openTab(), testService.openTab()];
    await firstTab.flow.start(names);
    await secondTab.flow.start(names);
    await firstTab.flow.confirm();
    return { firstTab, secondTab, posted: testService.posted };
  }

  test.each(["confirm", "renew"] as const)(
    "resolve the other tab's unknown outcome on %s and pay nothing",
    async (action) => {
      const { firstTab, secondTab, posted } = await confirmInFirstTab(["a"], [500, "internal"]);
      expect(firstTab.flow.getState().phase).toBe("unknown");
      if (action === "confirm") await secondTab.flow.confirm();
      else await secondTab.flow.renew(null);
      expect(secondTab.flow.getState().phase).toBe("done");
      expect(posted).toEqual([posted[0], posted[0]]);
    },
  );

  test("renew a build after another flow sent a transaction with an unknown outcome", async () => {
    const { flow, builtRequests, openTab, posted } = createTestService("lost", "lost", "lost", "lost", "lost", "lost");
    const { flow: otherFlow } = openTab({ name: "other" });
    await flow.start(["a"]);
    await startAndConfirm(otherFlow, ["b"]);
    expect(otherFlow.getState().phase).toBe("unknown");
    const postCountBefore = posted.length;
    await flow.confirm();
    const note = expect.stringContaining("Your wallet sent something else");
    expect(flow.getState()).toMatchObject({ phase: "review", note });
    expect([builtRequests.length, posted.length]).toEqual([2, postCountBefore]);
  });

  test("do not discard what the other tab is sending", async () => {
    const { openTab, readRecord } = createTestService();
    const secondSignature = createPausedCall<void>();
    let signatureCount = 0;
    const signer = async (transaction: string) => {
      signatureCount += 1;
      if (signatureCount === 2) await secondSignature.call();
      return signTransfer(transaction);
    };
    const [firstTab, secondTab] = [openTab({}, { openSigner: async () => signer }), openTab()];
    await firstTab.flow.start(["a", "b"]);
    const confirmation = firstTab.flow.confirm();
    await secondSignature.isCalled;
    await secondTab.flow.discard();
    expect(readRecord()).toMatchObject({ done: [{ label: "a" }] });
    secondSignature.answer();
    await confirmation;
    expect(firstTab.flow.getState().phase).toBe("done");
  });
});

describe("a price that moved too far", () => {
  const listPrices = () => ({ SOL: 75 });
  async function createMovedPriceService() {
    const testService = createTestService();
    const prices = createOpenPriceGuard();
    await prices.confirm({ SOL: 150 });
    return {
      ...testService,
      prices,
      openTab: (overrides = {}) => testService.openTab({ listPrices, ...overrides }, { prices }),
    };
  }

  test("is signed only after the user accepts it", async () => {
    const { openTab, posted, prices } = await createMovedPriceService();
    const { flow } = openTab();
    await flow.start(["a"]);
    expect(flow.getState()).toMatchObject({
      phase: "review",
      doubts: [{ asset: "SOL", usd: 75, before: { usd: 150 }, kind: "moved" }],
    });
    await flow.confirm();
    expect([flow.getState().phase, posted]).toEqual(["review", []]);
    await flow.acceptPrices();
    expect(flow.getState().doubts).toEqual([]);
    await flow.confirm();
    expect([flow.getState().phase, posted.length]).toEqual(["done", 1]);
    expect(await prices.readConfirmed()).toEqual({ SOL: 75 });
  });

  test("after the review is shown in a new review", async () => {
    const { openTab, posted, prices } = await createMovedPriceService();
    let usd = 150;
    const { flow } = openTab({ listPrices: () => ({ SOL: usd }) });
    await flow.start(["a"]);
    expect(flow.getState().doubts).toEqual([]);
    usd = 75;
    await flow.confirm();
    expect(flow.getState()).toMatchObject({ phase: "review", doubts: [{ asset: "SOL" }] });
    expect([posted, await prices.readConfirmed()]).toEqual([[], { SOL: 150 }]);
  });

  test("beyond the plausible bounds is refused without a review", async () => {
    const { openTab } = await createMovedPriceService();
    const { flow } = openTab({ listPrices: () => ({ SOL: 0.0001 }) });
    await flow.start(["a"]);
    const reason = expect.stringContaining("not plausible");
    expect(flow.getState()).toMatchObject({ phase: "refused", hasBeenShown: false, build: { reason } });
  });
});
