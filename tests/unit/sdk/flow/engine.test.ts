import bs58 from "bs58";
import nacl from "tweetnacl";
import { describe, expect, test, vi } from "vitest";
import { NotAsShown } from "@/lib/domain/not-as-shown";
import { createCalls } from "@/lib/sdk/calls/calls";
import { VALID_MS } from "@/lib/sdk/flow/build";
import { createFlow } from "@/lib/sdk/flow/engine";
import { type FlowRecord, getRecordKey, parseRecord } from "@/lib/sdk/flow/record";
import type { FlowSpec, World } from "@/lib/sdk/flow/types";
import { signWithKey } from "@/lib/sdk/sign/transactions";
import { type Clock, type Fetch, memoryStorage, processLock } from "@/lib/sdk/world";
import { toBase64 } from "@/lib/solana/bytes";
import { createSystemTransfer } from "@/lib/solana/system-instructions";
import { composeTransaction } from "@/lib/solana/transactions";
import { createOpenPriceGuard } from "../../../support/fakes/price-guard";

const keys = nacl.sign.keyPair();
const wallet = bs58.encode(keys.publicKey);
const sign = async (transaction: string) => signWithKey(transaction, keys);

/** A request is a list of names; each becomes one transaction. */
type Request = string[];
interface Build {
  ready: boolean;
  reason: string | null;
  blocked?: string | null;
  names: string[];
}

/** @param serial makes builds of the same name different, as their blockhashes would */
const transactionOf = (name: string, serial: number) => {
  const instructions = [createSystemTransfer(wallet, wallet, BigInt(name.charCodeAt(0) * 1000 + serial))];
  return toBase64(composeTransaction({ payer: wallet, instructions, blockhash: wallet }).bytes);
};

const findRest = (request: Request, done: FlowRecord<Request, string>["done"]) => {
  const remaining = request.filter((name) => !done.some(({ about }) => about === name));
  return remaining.length > 0 ? remaining : null;
};

function createDeferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

type Answer = (() => Promise<void>) | { status: number; body: object | string } | "landed" | "lost";

const confirmed = { confirmed: true, status: "confirmed", slot: 1, network: "sandbox" };
const refused = (status: number, code: string): Answer => ({
  status,
  body: { ok: false, error: `It is ${code}.`, code },
});

/** One service, one browser storage and one clock, for as many tabs as a test opens. */
function createWorld(...answers: Answer[]) {
  const posted: string[] = [];
  const landed: string[] = [];
  const respond = (answer: Exclude<Answer, () => unknown>): Response => {
    if (answer === "lost") throw new TypeError("fetch failed");
    if (answer === "landed") {
      const data = { ...confirmed, txSignature: `sig${posted.length}` };
      return Response.json({ ok: true, data });
    }
    const { status, body } = answer;
    return typeof body === "string" ? new Response(body, { status }) : Response.json(body, { status });
  };
  const fetch: Fetch = async (_address, init) => {
    posted.push(JSON.parse(String(init.body)).signedTransaction);
    const next = answers.shift() ?? "landed";
    if (typeof next !== "function") return respond(next);
    await next();
    return respond("landed");
  };
  let now = 1_000_000;
  const clock: Clock = {
    now: () => now,
    sleep: async (ms) => {
      now += ms;
    },
  };
  const storage = memoryStorage();
  const lock = processLock();
  const readRecord = () => parseRecord<Request, string>(storage.get(getRecordKey("test", wallet)) as string | null);
  const calls = createCalls({ baseUrl: "", fetch, clock });
  let builds = 0;
  const openTab = (changed: Partial<FlowSpec<Request, Build, string>> = {}, world: Partial<World<string>> = {}) => {
    const built: Request[] = [];
    const flow = createFlow<Request, Build, string>(
      {
        name: "test",
        wallet,
        async build(_calls, names) {
          built.push(names);
          return { ready: true, reason: null, names };
        },
        listSteps: ({ names }) =>
          names.map((name) => ({ label: name, transaction: transactionOf(name, builds++), about: name })),
        verify: async (build) => build,
        findRest,
        ...changed,
      },
      () => ({
        calls,
        clock,
        storage,
        lock,
        prices: createOpenPriceGuard(),
        openSigner: async () => sign,
        onLanded: (about) => void landed.push(about),
        ...world,
      }),
    );
    return { flow, built };
  };
  return { openTab, posted, landed, readRecord, storage, later: (ms: number) => void clock.sleep(ms) };
}

const createInFlightStep = (name: string) => ({ label: name, about: name, signed: "bytes" });

describe("a refusal that a stranger may have caused", () => {
  /** Records for each build whether the flow requested a careful one. */
  function createSpoilableWorld(...answers: Answer[]) {
    const world = createWorld(...answers);
    const careful: (boolean | undefined)[] = [];
    const { flow } = world.openTab({
      build: async (_calls, names, query) => {
        careful.push(query);
        return { ready: true, reason: null, names };
      },
      isSpoilable: (name) => name !== "sale",
    });
    return { ...world, flow, careful };
  }
  const SPOILED = refused(422, "simulation_failed");

  test("makes the next build careful, and shows the reason", async () => {
    const { flow, careful, landed } = createSpoilableWorld(SPOILED, "landed");
    await flow.start(["a"]);
    await flow.confirm();
    expect(flow.getState()).toMatchObject({
      phase: "review",
      note: expect.stringMatching(/refused.*sending a little to it/),
    });
    await flow.confirm();
    expect([flow.getState().phase, landed, careful]).toEqual(["done", ["a"], [false, true]]);
    await flow.start(["b"]);
    expect(careful.at(-1)).toBe(false);
  });

  test("fails if the careful build is refused too, and the next attempt is careful again", async () => {
    const { flow, careful } = createSpoilableWorld(SPOILED, SPOILED);
    await flow.start(["a"]);
    await flow.confirm();
    await flow.confirm();
    expect(flow.getState()).toMatchObject({ phase: "failed", error: { code: "simulation_failed" } });
    await flow.start(["a"]);
    expect(careful).toEqual([false, true, true]);
  });

  test.each([
    ["the refusal has another cause", "a", "fee_missing"],
    ["a stranger cannot affect the step", "sale", "simulation_failed"],
  ])("fails without a careful build if %s", async (_what, name, code) => {
    const { flow, careful } = createSpoilableWorld(refused(422, code));
    await flow.start([name]);
    await flow.confirm();
    expect([flow.getState().phase, careful]).toEqual(["failed", [false]]);
  });
});

describe("a run of transactions", () => {
  test("signs nothing before the confirmation, and then relays each transaction in order", async () => {
    const { openTab, posted, readRecord, landed } = createWorld();
    const { flow } = openTab();
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

  test("rebuilds the rest for another review if one transaction expires", async () => {
    const { openTab, readRecord } = createWorld("landed", refused(422, "transaction_expired"));
    const { flow, built } = openTab();
    await flow.start(["a", "b", "c"]);
    await flow.confirm();
    expect(flow.getState()).toMatchObject({ phase: "review", note: expect.stringContaining("“b”") });
    expect(built).toEqual([
      ["a", "b", "c"],
      ["b", "c"],
    ]);
    expect(readRecord()).toMatchObject({ done: [{ label: "a" }], inFlight: null });
    await flow.confirm();
    expect(flow.getState().phase).toBe("done");
  });

  test.each(["simulation_failed", "transaction_failed"])(
    "shows the reason of %s, and rebuilds only when the user asks",
    async (code) => {
      const { openTab, posted, readRecord } = createWorld("landed", refused(422, code));
      const { flow, built } = openTab();
      await flow.start(["a", "b"]);
      await flow.confirm();
      expect(flow.getState()).toMatchObject({ phase: "failed", error: { code, message: `It is ${code}.` } });
      expect([built.length, posted.length]).toEqual([1, 2]);
      expect(readRecord()).toMatchObject({ done: [{ label: "a" }], inFlight: null });
      await flow.renew(null);
      expect(built[1]).toEqual(["b"]);
    },
  );

  test("notes an automatic renewal only if it is worse than what the user saw, in sum", async () => {
    const { openTab } = createWorld();
    const names = ["9", "8", "7", "9"];
    const { flow } = openTab({
      build: async () => ({ ready: true, reason: null, names: [names.shift()!] }),
      isWorse: (now, seen) => Number(now.names[0]) < Number(seen.names[0]) - 1,
    });
    const notes: (string | null)[] = [];
    await flow.start(["a"]);
    for (let i = 0; i < 3; i++) {
      await flow.renew(null, true);
      notes.push(flow.getState().note);
    }
    expect(notes).toEqual([null, expect.stringContaining("you would get less"), null]);
  });

  test("ignores a late renewal of a closed payment, or of one that is being signed", async () => {
    const { openTab } = createWorld();
    const { flow, built } = openTab();
    await flow.start(["a"]);
    flow.close();
    await flow.renew(null);
    expect(flow.getState().phase).toBe("idle");
    await flow.start(["a"]);
    const confirming = flow.confirm();
    await flow.renew(null, true);
    await confirming;
    expect(flow.getState().phase).toBe("done");
    expect(built).toHaveLength(2);
  });

  describe("with a second build after the first part", () => {
    /** Builds one transaction at a time. */
    const oneAtATime = {
      build: async (_calls: unknown, [first]: Request) => ({ ready: true, reason: null, names: [first!] }),
    };

    test("signs the second build without a review if the first review covered it", async () => {
      const { openTab, posted } = createWorld();
      const { flow } = openTab({ ...oneAtATime, isAgreed: ({ names }) => names[0] === "b" });
      await flow.start(["a", "b", "c"]);
      await flow.confirm();
      expect(flow.getState()).toMatchObject({ phase: "review", build: { names: ["c"] } });
      expect(posted).toHaveLength(2);
    });

    test("refuses a second build that does not verify, even if the first review covered it", async () => {
      const { openTab, posted } = createWorld();
      const verify = async (build: Build) => {
        if (build.names[0] === "b") throw new NotAsShown("other_amount");
        return build;
      };
      const { flow } = openTab({ ...oneAtATime, verify, isAgreed: () => true });
      await flow.start(["a", "b"]);
      await flow.confirm();
      expect([flow.getState().phase, posted.length]).toEqual(["failed", 1]);
    });

    test("shows the rest after an interruption, even if the first review covered it", async () => {
      const { openTab, posted } = createWorld(refused(422, "transaction_expired"));
      const { flow } = openTab({ ...oneAtATime, isAgreed: () => true });
      await flow.start(["a", "b"]);
      await flow.confirm();
      expect([flow.getState().phase, posted.length]).toEqual(["review", 1]);
    });
  });

  test("never signs a blocked build, although it is shown", async () => {
    const { openTab, posted } = createWorld();
    const { flow } = openTab({
      build: async (_calls, names) => ({ ready: true, reason: null, blocked: "Empty.", names }),
    });
    await flow.start(["a"]);
    await flow.confirm();
    expect([flow.getState().phase, posted.length]).toEqual(["review", 0]);
  });

  test("shows the figures that verification read from the bytes", async () => {
    const { openTab } = createWorld();
    const { flow } = openTab({ verify: async (build) => ({ ...build, names: ["as its bytes say"] }) });
    await flow.start(["a"]);
    expect(flow.getState()).toMatchObject({ phase: "review", build: { names: ["as its bytes say"] } });
  });

  test("verifies the shown transaction again before it signs", async () => {
    const { openTab, posted } = createWorld();
    const signer = vi.fn(sign);
    let reads = 0;
    const verify = async (build: Build) => {
      if (reads++ > 0) throw new NotAsShown("total");
      return build;
    };
    const { flow } = openTab({ verify }, { openSigner: async () => signer });
    await flow.start(["a"]);
    await flow.confirm();
    expect(flow.getState()).toMatchObject({ phase: "failed", error: { reason: "total" } });
    expect([signer.mock.calls, posted]).toEqual([[], []]);
  });

  test("neither shows nor signs a transaction other than the requested one", async () => {
    const { openTab, posted } = createWorld();
    const signer = vi.fn(sign);
    const verify = () => Promise.reject(new Error("It sends more SOL than was shown."));
    const { flow } = openTab({ verify }, { openSigner: async () => signer });
    await flow.start(["a"]);
    expect(flow.getState()).toMatchObject({ phase: "failed", open: false, waiting: [] });
    await flow.confirm();
    expect(flow.getState()).toMatchObject({ phase: "failed", error: { message: "It sends more SOL than was shown." } });
    expect(signer).not.toHaveBeenCalled();
    expect(posted).toHaveLength(0);
  });

  test("starts a new review if the quote expires while the signer opens", async () => {
    const { openTab, posted, later } = createWorld();
    const { flow, built } = openTab(
      {},
      {
        openSigner: async () => {
          later(VALID_MS);
          return sign;
        },
      },
    );
    await flow.start(["a"]);
    await flow.confirm();
    expect(flow.getState()).toMatchObject({ phase: "review", note: expect.stringContaining("The quote expired") });
    expect([built.length, posted.length]).toEqual([2, 0]);
  });

  test("ignores a build that arrives after the payment was closed", async () => {
    let answer: (build: Build) => void = () => {};
    const { openTab } = createWorld();
    const built = createDeferred<void>();
    const { flow } = openTab({
      build: () => {
        built.resolve();
        return new Promise((resolve) => {
          answer = resolve;
        });
      },
    });
    const started = flow.start(["a"]);
    await built.promise;
    flow.close();
    answer({ ready: true, reason: null, names: ["a"] });
    await started;
    expect(flow.getState().phase).toBe("idle");
  });
});

describe("the signer", () => {
  test("returns to the review with the reason if it does not open", async () => {
    const { openTab, posted } = createWorld();
    const { flow } = openTab({}, { openSigner: () => Promise.reject(new Error("declined")) });
    await flow.start(["a"]);
    await flow.confirm();
    expect(flow.getState()).toMatchObject({ phase: "review", signError: { message: "declined" } });
    expect(posted).toHaveLength(0);
  });

  test.each([
    ["declines", () => Promise.reject(new Error("declined"))],
    ["signs with another account", async (transaction: string) => transaction],
    ["returns something other than a transaction", async () => "?"],
  ])("returns to the review and sends nothing if it %s", async (_what, answers) => {
    const { openTab, posted, readRecord } = createWorld();
    const { flow } = openTab({}, { openSigner: async () => answers });
    await flow.start(["a"]);
    await flow.confirm();
    expect(flow.getState()).toMatchObject({ phase: "review", signError: expect.any(Error) });
    expect([posted.length, readRecord()]).toEqual([0, null]);
  });

  test("returns to the review and sends nothing if it signs another transaction", async () => {
    const { openTab, posted, readRecord } = createWorld();
    const { flow } = openTab({}, { openSigner: async () => () => sign(transactionOf("another", 999)) });
    await flow.start(["a"]);
    await flow.confirm();
    expect(flow.getState()).toMatchObject({ phase: "review", signError: { reason: "changed_by_wallet" } });
    expect([posted.length, readRecord()]).toEqual([0, null]);
  });

  test("may change the transaction if the changed bytes verify", async () => {
    const { openTab, posted } = createWorld();
    const changed = transactionOf("a", 999);
    const verifySigned = async (_step: unknown, signed: string) => {
      if (signed !== (await sign(changed))) throw new NotAsShown("changed_by_wallet");
      return "as its bytes say";
    };
    const { flow } = openTab({ verifySigned }, { openSigner: async () => () => sign(changed) });
    await flow.start(["a"]);
    await flow.confirm();
    expect(flow.getState()).toMatchObject({ record: { done: [{ about: "as its bytes say" }] } });
    expect(posted).toEqual([await sign(changed)]);
  });

  test("is ignored if it answers after the cancellation, and blocks no later payment", async () => {
    const { openTab, posted } = createWorld();
    const asked = createDeferred<void>();
    const late = createDeferred<string>();
    let slow = true;
    const { flow } = openTab(
      {},
      {
        openSigner: async () => (transaction) => {
          if (!slow) return sign(transaction);
          asked.resolve();
          return late.promise;
        },
      },
    );
    await flow.start(["a"]);
    const confirmation = flow.confirm();
    await asked.promise;
    const shown = flow.getState().waiting[0]!.transaction;
    flow.close();
    late.resolve(await sign(shown));
    await confirmation;
    expect([flow.getState().phase, posted.length]).toEqual(["idle", 0]);
    slow = false;
    await flow.start(["b"]);
    await flow.confirm();
    expect([flow.getState().phase, posted.length]).toEqual(["done", 1]);
  });

  test("blocks no later payment if it never answers and the payment is cancelled", async () => {
    const { openTab } = createWorld();
    const asked = createDeferred<void>();
    const { flow } = openTab(
      {},
      {
        openSigner: async () => () => {
          asked.resolve();
          return new Promise<string>(() => {});
        },
      },
    );
    await flow.start(["a"]);
    const confirmation = flow.confirm();
    await asked.promise;
    flow.close();
    await confirmation;
    const other = openTab();
    await other.flow.start(["a"]);
    await other.flow.confirm();
    expect(other.flow.getState().phase).toBe("done");
  });
});

describe("an unknown outcome", () => {
  test("is resolved by posting the same bytes before anything else is built", async () => {
    const { openTab, posted, readRecord } = createWorld(refused(500, "internal"));
    const { flow, built } = openTab();
    await flow.start(["a", "b"]);
    await flow.confirm();
    expect(flow.getState().phase).toBe("unknown");
    expect(built).toHaveLength(1);
    expect(readRecord()?.inFlight?.signed).toBe(posted[0]);
    await flow.checkAgain();
    expect(posted[1]).toBe(posted[0]);
    expect(flow.getState()).toMatchObject({ phase: "review", record: { done: [{ label: "a" }] } });
    expect(built[1]).toEqual(["b"]);
  });

  test("cannot be discarded while it may land, because that would pay twice", async () => {
    const { openTab, posted, readRecord } = createWorld(refused(500, "internal"), refused(500, "internal"));
    const { flow } = openTab();
    await flow.start(["a"]);
    await flow.confirm();
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
    ["certainly expired", refused(422, "transaction_expired")],
    ["failed on the chain", refused(422, "transaction_failed")],
  ])("can be discarded once the transaction has %s, and the rest is not built", async (_what, answer) => {
    const { openTab, posted, readRecord } = createWorld(refused(500, "internal"), answer);
    const { flow, built } = openTab();
    await flow.start(["a", "b"]);
    await flow.confirm();
    await flow.discard();
    expect([flow.getState().phase, readRecord(), built.length]).toEqual(["idle", null, 1]);
    expect(posted).toEqual([posted[0], posted[0]]);
  });

  test("never leads to a second payment if the outcome cannot be stored", async () => {
    const { openTab, posted, landed, storage } = createWorld();
    const full: World<string>["storage"] = {
      get: storage.get,
      set: (key, value) => {
        if (posted.length > 0) throw new Error("full");
        return storage.set(key, value);
      },
    };
    const { flow } = openTab({}, { storage: full });
    await flow.start(["a"]);
    await flow.confirm();
    expect(flow.getState()).toMatchObject({ phase: "failed", record: { done: [{ label: "a" }], inFlight: null } });
    expect(landed).toEqual(["a"]);
    const later = openTab();
    await later.flow.start(["a"]);
    expect([later.flow.getState().phase, new Set(posted).size]).toEqual(["done", 1]);
  });

  test("stays open after a restart that does not resolve it, and nothing is built", async () => {
    const { openTab, posted } = createWorld(refused(500, "internal"), refused(500, "internal"));
    const { flow, built } = openTab();
    await flow.start(["a", "b"]);
    await flow.confirm();
    flow.close();
    await flow.start(["a", "b"]);
    expect(posted).toEqual([posted[0], posted[0]]);
    expect([flow.getState().phase, built.length]).toEqual(["unknown", 1]);
  });

  test("lets a restart continue with the rest once it is resolved, and start over after a discard", async () => {
    const { openTab, posted, readRecord } = createWorld("landed", refused(422, "simulation_failed"));
    const [{ flow }, again] = [openTab(), openTab()];
    await flow.start(["a", "b"]);
    await flow.confirm();
    flow.close();
    await again.flow.start(["a", "b"]);
    expect(again.built).toEqual([["b"]]);
    expect(again.flow.getState()).toMatchObject({ phase: "review", record: { done: [{ label: "a" }] } });
    await again.flow.discard();
    await again.flow.start(["a", "b"]);
    expect(again.built[1]).toEqual(["a", "b"]);
    expect([posted.length, readRecord()]).toEqual([2, null]);
  });

  test("is resolved first after the page was closed and opened again", async () => {
    const { openTab, posted, storage } = createWorld();
    const { flow, built } = openTab();
    const record = { request: ["a", "b"], done: [], inFlight: createInFlightStep("a") };
    await storage.set(getRecordKey("test", wallet), JSON.stringify(record));
    await flow.resume();
    expect(posted).toEqual(["bytes"]);
    expect(built).toEqual([["b"]]);
    expect(flow.getState().phase).toBe("review");
  });

  test("is stored when it arrives, even if the user has closed the resumed payment", async () => {
    const isPosted = createDeferred<void>();
    const answer = createDeferred<void>();
    const { openTab, storage, readRecord } = createWorld(() => {
      isPosted.resolve();
      return answer.promise;
    });
    const { flow } = openTab();
    const record = { request: ["a", "b"], done: [], inFlight: createInFlightStep("a") };
    await storage.set(getRecordKey("test", wallet), JSON.stringify(record));
    const resumed = flow.resume();
    await isPosted.promise;
    expect(flow.getState().phase).toBe("running");
    flow.close();
    expect(flow.getState().phase).toBe("idle");
    answer.resolve();
    await resumed;
    expect(readRecord()).toMatchObject({ done: [{ label: "a" }], inFlight: null });
  });
});

test("stores the outcome of posted bytes although the user has started another payment", async () => {
  const isPosted = createDeferred<void>();
  const answer = createDeferred<void>();
  const { openTab, posted, readRecord, landed } = createWorld(() => {
    isPosted.resolve();
    return answer.promise;
  });
  const { flow } = openTab();
  await flow.start(["a", "b"]);
  const confirmation = flow.confirm();
  await isPosted.promise;
  await flow.start(["c"]);
  answer.resolve();
  await confirmation;
  expect(readRecord()).toMatchObject({ request: ["a", "b"], done: [{ label: "a" }], inFlight: null });
  expect([landed, posted.length]).toEqual([["a"], 1]);
  expect(flow.getState()).toMatchObject({ phase: "review", record: { request: ["c"], done: [] } });
});

describe("storage that throws", () => {
  /** Returns a storage that throws while it is broken. */
  function createBreakableStorage(storage: World<string>["storage"]) {
    let broken = false;
    const use = <T>(access: () => T): T => {
      if (broken) throw new Error("Storage is broken.");
      return access();
    };
    return {
      storage: {
        get: (key: string) => use(() => storage.get(key)),
        set: (key: string, value: string | null) => use(() => storage.set(key, value)),
      },
      setBroken(next: boolean) {
        broken = next;
      },
    };
  }

  test("fails a start, and the next start works", async () => {
    const { openTab, storage } = createWorld();
    const breakable = createBreakableStorage(storage);
    const { flow } = openTab({}, breakable);
    breakable.setBroken(true);
    await expect(flow.start(["a"])).rejects.toThrow("Storage is broken.");
    expect(flow.getState()).toMatchObject({ phase: "failed", error: { message: "Storage is broken." } });
    breakable.setBroken(false);
    await flow.start(["a"]);
    expect(flow.getState().phase).toBe("review");
  });

  test("fails a discard that interrupts a build", async () => {
    const { openTab, storage } = createWorld();
    const breakable = createBreakableStorage(storage);
    const isBuilding = createDeferred<void>();
    const answer = createDeferred<Build>();
    const build = () => {
      isBuilding.resolve();
      return answer.promise;
    };
    const { flow } = openTab({ build }, breakable);
    const started = flow.start(["a"]);
    await isBuilding.promise;
    breakable.setBroken(true);
    await expect(flow.discard()).rejects.toThrow("Storage is broken.");
    expect(flow.getState()).toMatchObject({ phase: "failed", error: { message: "Storage is broken." } });
    answer.resolve({ ready: true, reason: null, names: ["a"] });
    await started;
    expect(flow.getState().phase).toBe("failed");
  });

  test("fails a discard that cannot store an outcome, and keeps the posted bytes", async () => {
    const { openTab, storage, readRecord, posted } = createWorld(refused(500, "internal"), async () =>
      breakable.setBroken(true),
    );
    const breakable = createBreakableStorage(storage);
    const { flow } = openTab({}, breakable);
    await flow.start(["a"]);
    await flow.confirm();
    await expect(flow.discard()).rejects.toThrow("Storage is broken.");
    expect(flow.getState()).toMatchObject({ phase: "failed", record: { done: [{ label: "a" }] } });
    expect(readRecord()?.inFlight?.signed).toBe(posted[0]);
  });
});

describe("two tabs of one browser", () => {
  test("make one payment if both confirm at once", async () => {
    const { openTab, posted } = createWorld();
    const [first, second] = [openTab(), openTab()];
    await Promise.all([first.flow.start(["a"]), second.flow.start(["a"])]);
    await Promise.all([first.flow.confirm(), second.flow.confirm()]);
    expect(first.flow.getState().phase).toBe("done");
    expect(second.flow.getState()).toMatchObject({
      phase: "review",
      note: expect.stringContaining("Another tab or program is sending"),
    });
    expect(posted).toHaveLength(1);
  });

  test("show a new review instead of a second payment if one confirms after the other is done", async () => {
    const { openTab, posted } = createWorld();
    const [first, second] = [openTab(), openTab()];
    await first.flow.start(["a"]);
    await second.flow.start(["a"]);
    await first.flow.confirm();
    await second.flow.confirm();
    expect(second.flow.getState()).toMatchObject({
      phase: "review",
      note: expect.stringContaining("sent something else"),
    });
    expect(second.built).toHaveLength(2);
    expect(posted).toHaveLength(1);
  });

  test("note in every renewal, requested or automatic, that the other tab has sent something", async () => {
    for (const isAutomatic of [true, false]) {
      const { openTab } = createWorld();
      const [first, second] = [openTab(), openTab()];
      await first.flow.start(["a"]);
      await second.flow.start(["a"]);
      await first.flow.confirm();
      await second.flow.renew(null, isAutomatic);
      await second.flow.renew(null, true);
      expect(second.flow.getState()).toMatchObject({
        phase: "review",
        note: expect.stringContaining("sent something else"),
      });
    }
  });

  test("do not report a failure in one as a payment of the other", async () => {
    const { openTab } = createWorld(refused(422, "transaction_failed"));
    const { flow } = openTab();
    await flow.start(["a"]);
    await flow.confirm();
    await flow.renew(null);
    expect(flow.getState()).toMatchObject({ phase: "review", note: null });
  });

  describe.each(["confirm", "renew"] as const)(
    "resume the same rest, and one of them then calls %s, which",
    (action) => {
      const resumeInBothTabs = async () => {
        const world = createWorld("landed", refused(422, "simulation_failed"));
        const interrupted = world.openTab();
        await interrupted.flow.start(["a", "b", "c"]);
        await interrupted.flow.confirm();
        const [first, second] = [world.openTab(), world.openTab()];
        await Promise.all([first.flow.resume(), second.flow.resume()]);
        return {
          ...world,
          first,
          second,
          act: () => (action === "confirm" ? second.flow.confirm() : second.flow.renew(null, true)),
        };
      };

      test("does not rebuild what the other has sent since", async () => {
        const { first, second, act, storage, readRecord } = await resumeInBothTabs();
        await storage.set(
          getRecordKey("test", wallet),
          JSON.stringify({
            ...readRecord(),
            done: [...readRecord()!.done, { label: "b", about: "b", txSignature: "s" }],
          }),
        );
        await storage.set(`roundup-sent:${wallet}`, "99");
        await act();
        expect(second.built.at(-1)).toEqual(["c"]);
        expect(second.flow.getState()).toMatchObject({
          phase: "review",
          note: expect.stringContaining("sent something else"),
        });
        expect(first.flow.getState().phase).toBe("review");
      });

      test("signs nothing that was built while the other was sending without notice", async () => {
        const { second, act, storage, readRecord, posted } = await resumeInBothTabs();
        const before = posted.length;
        await storage.set(
          getRecordKey("test", wallet),
          JSON.stringify({
            ...readRecord(),
            done: [...readRecord()!.done, { label: "b", about: "b", txSignature: "s" }],
          }),
        );
        await act();
        expect(second.built.at(-1)).toEqual(["c"]);
        expect([second.flow.getState().phase, posted.length]).toEqual(["review", before]);
      });

      test("builds nothing once the other has sent or discarded the rest", async () => {
        for (const end of ["confirm", "discard"] as const) {
          const { first, second, act, posted } = await resumeInBothTabs();
          await first.flow[end]();
          const before = [second.built.length, posted.length];
          await act();
          expect([second.flow.getState().phase, second.built.length, posted.length]).toEqual(["idle", ...before]);
        }
      });
    },
  );

  test("continue in one tab where the other stopped, after another review", async () => {
    const { openTab, posted } = createWorld("landed", refused(422, "simulation_failed"));
    const [first, second] = [openTab(), openTab()];
    await first.flow.start(["a", "b"]);
    await second.flow.start(["a", "b"]);
    await first.flow.confirm();
    await second.flow.confirm();
    expect(second.built.at(-1)).toEqual(["b"]);
    expect(second.flow.getState()).toMatchObject({
      phase: "review",
      note: expect.stringContaining("sent something else"),
    });
    expect(posted).toHaveLength(2);
  });

  test("rebuild a build that one made while the other was sending, before it is signed", async () => {
    const { openTab, posted } = createWorld(() => second.flow.start(["a"]));
    const [first, second] = [openTab(), openTab()];
    await first.flow.start(["a"]);
    await first.flow.confirm();
    expect([first.flow.getState().phase, second.flow.getState().phase]).toEqual(["done", "review"]);
    await second.flow.confirm();
    expect(second.flow.getState()).toMatchObject({
      phase: "review",
      note: expect.stringContaining("sent something else"),
    });
    expect(posted).toHaveLength(1);
  });

  test.each(["confirm", "renew"] as const)(
    "resolve the unknown outcome of the other before a %s, and pay nothing",
    async (action) => {
      const { openTab, posted } = createWorld(refused(500, "internal"));
      const [first, second] = [openTab(), openTab()];
      await first.flow.start(["a"]);
      await second.flow.start(["a"]);
      await first.flow.confirm();
      expect(first.flow.getState().phase).toBe("unknown");
      if (action === "confirm") await second.flow.confirm();
      else await second.flow.renew(null);
      expect(second.flow.getState().phase).toBe("done");
      expect(posted).toEqual([posted[0], posted[0]]);
    },
  );

  test("renew a build after another flow has sent a transaction with an unknown outcome", async () => {
    const { openTab, posted } = createWorld("lost", "lost", "lost", "lost", "lost", "lost");
    const { flow, built } = openTab();
    const { flow: other } = openTab({ name: "other" });
    await flow.start(["a"]);
    await other.start(["b"]);
    await other.confirm();
    expect(other.getState().phase).toBe("unknown");
    const sent = posted.length;
    await flow.confirm();
    expect(flow.getState()).toMatchObject({
      phase: "review",
      note: expect.stringContaining("Your wallet sent something else"),
    });
    expect([built.length, posted.length]).toEqual([2, sent]);
  });

  test("cannot discard what the other is sending", async () => {
    const { openTab, readRecord } = createWorld();
    const asked = createDeferred<void>();
    const answer = createDeferred<void>();
    const slow = async (transaction: string) => {
      asked.resolve();
      await answer.promise;
      return sign(transaction);
    };
    let isFirstStep = true;
    const signer = (transaction: string) => {
      if (!isFirstStep) return slow(transaction);
      isFirstStep = false;
      return sign(transaction);
    };
    const [first, second] = [openTab({}, { openSigner: async () => signer }), openTab()];
    await first.flow.start(["a", "b"]);
    const confirmation = first.flow.confirm();
    await asked.promise;
    await second.flow.discard();
    expect(readRecord()).toMatchObject({ done: [{ label: "a" }] });
    answer.resolve();
    await confirmation;
    expect(first.flow.getState().phase).toBe("done");
  });
});

describe("a price that moved too far", () => {
  const listPrices = () => ({ SOL: 75 });
  async function createMovedPriceWorld() {
    const world = createWorld();
    const prices = createOpenPriceGuard();
    await prices.confirm({ SOL: 150 });
    return { ...world, prices, openTab: (changed = {}) => world.openTab({ listPrices, ...changed }, { prices }) };
  }

  test("is shown with the earlier price, and nothing is signed until the user accepts it", async () => {
    const { openTab, posted, prices } = await createMovedPriceWorld();
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

  test("brings the review back if it appears between the review and the signature", async () => {
    const { openTab, posted, prices } = await createMovedPriceWorld();
    let usd = 150;
    const { flow } = openTab({ listPrices: () => ({ SOL: usd }) });
    await flow.start(["a"]);
    expect(flow.getState().doubts).toEqual([]);
    usd = 75;
    await flow.confirm();
    expect(flow.getState()).toMatchObject({ phase: "review", doubts: [{ asset: "SOL" }] });
    expect([posted, await prices.readConfirmed()]).toEqual([[], { SOL: 150 }]);
  });

  test("is refused before the review if it is beyond all bounds", async () => {
    const { openTab } = await createMovedPriceWorld();
    const { flow } = openTab({ listPrices: () => ({ SOL: 0.0001 }) });
    await flow.start(["a"]);
    const reason = expect.stringContaining("not plausible");
    expect(flow.getState()).toMatchObject({ phase: "refused", open: false, build: { reason } });
  });
});
