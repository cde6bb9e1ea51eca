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

/** `made` sets builds of the same name apart, as their blockhashes do. */
const transactionOf = (name: string, made: number) => {
  const instructions = [createSystemTransfer(wallet, wallet, BigInt(name.charCodeAt(0) * 1000 + made))];
  return toBase64(composeTransaction({ payer: wallet, instructions, blockhash: wallet }).bytes);
};

const findRest = (request: Request, done: FlowRecord<Request, string>["done"]) => {
  const left = request.filter((name) => !done.some(({ about }) => about === name));
  return left.length > 0 ? left : null;
};

function defer<T>() {
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
  const answer = (given: Exclude<Answer, () => unknown>): Response => {
    if (given === "lost") throw new TypeError("fetch failed");
    if (given === "landed") {
      const data = { ...confirmed, txSignature: `sig${posted.length}` };
      return Response.json({ ok: true, data });
    }
    const { status, body } = given;
    return typeof body === "string" ? new Response(body, { status }) : Response.json(body, { status });
  };
  const fetch: Fetch = async (_address, init) => {
    posted.push(JSON.parse(String(init.body)).signedTransaction);
    const next = answers.shift() ?? "landed";
    if (typeof next !== "function") return answer(next);
    await next();
    return answer("landed");
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
  const kept = () => parseRecord<Request, string>(storage.get(getRecordKey("test", wallet)) as string | null);
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
  return { openTab, posted, landed, kept, storage, later: (ms: number) => void clock.sleep(ms) };
}

const inFlight = (name: string) => ({ label: name, about: name, signed: "bytes" });

describe("a refusal that a stranger may have caused", () => {
  /** Notes for each build whether it was a careful one. */
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

  test("makes the next build a careful one, shown with the reason, until it has landed", async () => {
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

  test("a careful build that is refused too fails, and the next attempt is careful again", async () => {
    const { flow, careful } = createSpoilableWorld(SPOILED, SPOILED);
    await flow.start(["a"]);
    await flow.confirm();
    await flow.confirm();
    expect(flow.getState()).toMatchObject({ phase: "failed", error: { code: "simulation_failed" } });
    await flow.start(["a"]);
    expect(careful).toEqual([false, true, true]);
  });

  test.each([
    ["another refusal", "a", "fee_missing"],
    ["a step that a stranger cannot spoil", "sale", "simulation_failed"],
  ])("%s fails as it is", async (_what, name, code) => {
    const { flow, careful } = createSpoilableWorld(refused(422, code));
    await flow.start([name]);
    await flow.confirm();
    expect([flow.getState().phase, careful]).toEqual(["failed", [false]]);
  });
});

describe("a run of transactions", () => {
  test("signs nothing before it is confirmed, then relays each in order", async () => {
    const { openTab, posted, kept, landed } = createWorld();
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
    expect(kept()).toBeNull();
  });

  test("after an expiry in the middle, the rest is rebuilt and shown again with a note", async () => {
    const { openTab, kept } = createWorld("landed", refused(422, "transaction_expired"));
    const { flow, built } = openTab();
    await flow.start(["a", "b", "c"]);
    await flow.confirm();
    expect(flow.getState()).toMatchObject({ phase: "review", note: expect.stringContaining("“b”") });
    expect(built).toEqual([
      ["a", "b", "c"],
      ["b", "c"],
    ]);
    expect(kept()).toMatchObject({ done: [{ label: "a" }], inFlight: null });
    await flow.confirm();
    expect(flow.getState().phase).toBe("done");
  });

  test.each(["simulation_failed", "transaction_failed"])(
    "%s is shown with its reason, and not built anew unasked: it would fail for ever",
    async (code) => {
      const { openTab, posted, kept } = createWorld("landed", refused(422, code));
      const { flow, built } = openTab();
      await flow.start(["a", "b"]);
      await flow.confirm();
      expect(flow.getState()).toMatchObject({ phase: "failed", error: { code, message: `It is ${code}.` } });
      expect([built.length, posted.length]).toEqual([1, 2]);
      expect(kept()).toMatchObject({ done: [{ label: "a" }], inFlight: null });
      await flow.renew(null);
      expect(built[1]).toEqual(["b"]);
    },
  );

  test("renewed unasked it says nothing, unless it is worse than what was looked at, small steps added up", async () => {
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

  test("a late renewal rebuilds neither a closed payment nor one that is being signed", async () => {
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

  describe("in two turns", () => {
    /** First a, then the rest. */
    const turns = {
      build: async (_calls: unknown, [first]: Request) => ({ ready: true, reason: null, names: [first!] }),
    };

    test("signs what was confirmed in the review without a second review", async () => {
      const { openTab, posted } = createWorld();
      const { flow } = openTab({ ...turns, isAgreed: ({ names }) => names[0] === "b" });
      await flow.start(["a", "b", "c"]);
      await flow.confirm();
      expect(flow.getState()).toMatchObject({ phase: "review", build: { names: ["c"] } });
      expect(posted).toHaveLength(2);
    });

    test("signs nothing that does not verify, confirmed or not", async () => {
      const { openTab, posted } = createWorld();
      const verify = async (build: Build) => {
        if (build.names[0] === "b") throw new NotAsShown("other_amount");
        return build;
      };
      const { flow } = openTab({ ...turns, verify, isAgreed: () => true });
      await flow.start(["a", "b"]);
      await flow.confirm();
      expect([flow.getState().phase, posted.length]).toEqual(["failed", 1]);
    });

    test("shows what is left after an interruption, confirmed or not", async () => {
      const { openTab, posted } = createWorld(refused(422, "transaction_expired"));
      const { flow } = openTab({ ...turns, isAgreed: () => true });
      await flow.start(["a", "b"]);
      await flow.confirm();
      expect([flow.getState().phase, posted.length]).toEqual(["review", 1]);
    });
  });

  test("never signs what is shown but blocked", async () => {
    const { openTab, posted } = createWorld();
    const { flow } = openTab({
      build: async (_calls, names) => ({ ready: true, reason: null, blocked: "Empty.", names }),
    });
    await flow.start(["a"]);
    await flow.confirm();
    expect([flow.getState().phase, posted.length]).toEqual(["review", 0]);
  });

  test("shows the figures that verification read", async () => {
    const { openTab } = createWorld();
    const { flow } = openTab({ verify: async (build) => ({ ...build, names: ["as its bytes say"] }) });
    await flow.start(["a"]);
    expect(flow.getState()).toMatchObject({ phase: "review", build: { names: ["as its bytes say"] } });
  });

  test("reads what was shown again before it signs, and does not sign it if it has changed", async () => {
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

  test("a transaction other than the requested one is neither shown nor signed", async () => {
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

  test("a time limit that passes while the wallet signs leads to a new review, not to a signature", async () => {
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

  test("a late answer changes nothing after it was closed while it was built", async () => {
    let answer: (build: Build) => void = () => {};
    const { openTab } = createWorld();
    const built = defer<void>();
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
  test("that does not open leaves the review, with the reason", async () => {
    const { openTab, posted } = createWorld();
    const { flow } = openTab({}, { openSigner: () => Promise.reject(new Error("declined")) });
    await flow.start(["a"]);
    await flow.confirm();
    expect(flow.getState()).toMatchObject({ phase: "review", signError: { message: "declined" } });
    expect(posted).toHaveLength(0);
  });

  test.each([
    ["says no", () => Promise.reject(new Error("declined"))],
    ["signs with another account", async (transaction: string) => transaction],
    ["gives back what is no transaction", async () => "?"],
  ])("that %s leaves the review, and nothing is sent", async (_what, answers) => {
    const { openTab, posted, kept } = createWorld();
    const { flow } = openTab({}, { openSigner: async () => answers });
    await flow.start(["a"]);
    await flow.confirm();
    expect(flow.getState()).toMatchObject({ phase: "review", signError: expect.any(Error) });
    expect([posted.length, kept()]).toEqual([0, null]);
  });

  test("that signs something else than it was shown leaves the review, and nothing is sent", async () => {
    const { openTab, posted, kept } = createWorld();
    const { flow } = openTab({}, { openSigner: async () => () => sign(transactionOf("another", 999)) });
    await flow.start(["a"]);
    await flow.confirm();
    expect(flow.getState()).toMatchObject({ phase: "review", signError: { reason: "changed_by_wallet" } });
    expect([posted.length, kept()]).toEqual([0, null]);
  });

  test("that changed the transaction is accepted if its bytes verify, and they are stored", async () => {
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

  test("that answers after the cancellation is ignored and blocks no later payment", async () => {
    const { openTab, posted } = createWorld();
    const asked = defer<void>();
    const late = defer<string>();
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

  test("that never answers blocks no later payment once it is cancelled", async () => {
    const { openTab } = createWorld();
    const asked = defer<void>();
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
  test("is requested again with the same bytes, and nothing is built until it is known", async () => {
    const { openTab, posted, kept } = createWorld(refused(500, "internal"));
    const { flow, built } = openTab();
    await flow.start(["a", "b"]);
    await flow.confirm();
    expect(flow.getState().phase).toBe("unknown");
    expect(built).toHaveLength(1);
    expect(kept()?.inFlight?.signed).toBe(posted[0]);
    await flow.checkAgain();
    expect(posted[1]).toBe(posted[0]);
    expect(flow.getState()).toMatchObject({ phase: "review", record: { done: [{ label: "a" }] } });
    expect(built[1]).toEqual(["b"]);
  });

  test("cannot be discarded while it may land, because that would pay twice", async () => {
    const { openTab, posted, kept } = createWorld(refused(500, "internal"), refused(500, "internal"));
    const { flow } = openTab();
    await flow.start(["a"]);
    await flow.confirm();
    await flow.discard();
    expect(flow.getState()).toMatchObject({ phase: "unknown", note: expect.stringContaining("may still arrive") });
    expect(kept()?.inFlight?.signed).toBe(posted[0]);
    flow.close();
    await flow.start(["a"]);
    expect(flow.getState().phase).toBe("done");
    expect(new Set(posted).size).toBe(1);
  });

  test.each<[string, Answer]>([
    ["landed", "landed"],
    ["certainly expired", refused(422, "transaction_expired")],
    ["failed on the chain", refused(422, "transaction_failed")],
  ])("it is forgotten once it has %s, and nothing is built of what is left", async (_what, answer) => {
    const { openTab, posted, kept } = createWorld(refused(500, "internal"), answer);
    const { flow, built } = openTab();
    await flow.start(["a", "b"]);
    await flow.confirm();
    await flow.discard();
    expect([flow.getState().phase, kept(), built.length]).toEqual(["idle", null, 1]);
    expect(posted).toEqual([posted[0], posted[0]]);
  });

  test("a landed payment is reported as landed and not paid twice, although nothing can be stored", async () => {
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

  test("a restart before the outcome is known leaves it open and builds nothing", async () => {
    const { openTab, posted } = createWorld(refused(500, "internal"), refused(500, "internal"));
    const { flow, built } = openTab();
    await flow.start(["a", "b"]);
    await flow.confirm();
    flow.close();
    await flow.start(["a", "b"]);
    expect(posted).toEqual([posted[0], posted[0]]);
    expect([flow.getState().phase, built.length]).toEqual(["unknown", 1]);
  });

  test("a restart continues with the rest once the outcome is known, and at the start after a discard", async () => {
    const { openTab, posted, kept } = createWorld("landed", refused(422, "simulation_failed"));
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
    expect([posted.length, kept()]).toEqual([2, null]);
  });

  test("from before the page was closed is resolved first", async () => {
    const { openTab, posted, storage } = createWorld();
    const { flow, built } = openTab();
    const record = { request: ["a", "b"], done: [], inFlight: inFlight("a") };
    await storage.set(getRecordKey("test", wallet), JSON.stringify(record));
    await flow.resume();
    expect(posted).toEqual(["bytes"]);
    expect(built).toEqual([["b"]]);
    expect(flow.getState().phase).toBe("review");
  });

  test("from before the page was closed can be left, and its outcome is stored", async () => {
    const isPosted = defer<void>();
    const answer = defer<void>();
    const { openTab, storage, kept } = createWorld(() => {
      isPosted.resolve();
      return answer.promise;
    });
    const { flow } = openTab();
    const record = { request: ["a", "b"], done: [], inFlight: inFlight("a") };
    await storage.set(getRecordKey("test", wallet), JSON.stringify(record));
    const resumed = flow.resume();
    await isPosted.promise;
    expect(flow.getState().phase).toBe("running");
    flow.close();
    expect(flow.getState().phase).toBe("idle");
    answer.resolve();
    await resumed;
    expect(kept()).toMatchObject({ done: [{ label: "a" }], inFlight: null });
  });
});

test("stores what became of posted bytes after the user has started something else, and shows only that", async () => {
  const isPosted = defer<void>();
  const answer = defer<void>();
  const { openTab, posted, kept, landed } = createWorld(() => {
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
  expect(kept()).toMatchObject({ request: ["a", "b"], done: [{ label: "a" }], inFlight: null });
  expect([landed, posted.length]).toEqual([["a"], 1]);
  expect(flow.getState()).toMatchObject({ phase: "review", record: { request: ["c"], done: [] } });
});

describe("storage that throws", () => {
  /** Returns a storage that throws while it is broken. */
  function aBreakableStorage(storage: World<string>["storage"]) {
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
    const breakable = aBreakableStorage(storage);
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
    const breakable = aBreakableStorage(storage);
    const isBuilding = defer<void>();
    const answer = defer<Build>();
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
    const { openTab, storage, kept, posted } = createWorld(refused(500, "internal"), async () =>
      breakable.setBroken(true),
    );
    const breakable = aBreakableStorage(storage);
    const { flow } = openTab({}, breakable);
    await flow.start(["a"]);
    await flow.confirm();
    await expect(flow.discard()).rejects.toThrow("Storage is broken.");
    expect(flow.getState()).toMatchObject({ phase: "failed", record: { done: [{ label: "a" }] } });
    expect(kept()?.inFlight?.signed).toBe(posted[0]);
  });
});

describe("two tabs of one browser", () => {
  test("both confirm at once in review, and one payment is made", async () => {
    const { openTab, posted } = createWorld();
    const [one, two] = [openTab(), openTab()];
    await Promise.all([one.flow.start(["a"]), two.flow.start(["a"])]);
    await Promise.all([one.flow.confirm(), two.flow.confirm()]);
    expect(one.flow.getState().phase).toBe("done");
    expect(two.flow.getState()).toMatchObject({
      phase: "review",
      note: expect.stringContaining("Another tab or program is sending"),
    });
    expect(posted).toHaveLength(1);
  });

  test("one confirms after the other is done, and gets a new review instead of a second payment", async () => {
    const { openTab, posted } = createWorld();
    const [one, two] = [openTab(), openTab()];
    await one.flow.start(["a"]);
    await two.flow.start(["a"]);
    await one.flow.confirm();
    await two.flow.confirm();
    expect(two.flow.getState()).toMatchObject({
      phase: "review",
      note: expect.stringContaining("sent something else"),
    });
    expect(two.built).toHaveLength(2);
    expect(posted).toHaveLength(1);
  });

  test("a renewal after the other is done, requested or automatic, says so for as long as it renews", async () => {
    for (const byItself of [true, false]) {
      const { openTab } = createWorld();
      const [one, two] = [openTab(), openTab()];
      await one.flow.start(["a"]);
      await two.flow.start(["a"]);
      await one.flow.confirm();
      await two.flow.renew(null, byItself);
      await two.flow.renew(null, true);
      expect(two.flow.getState()).toMatchObject({
        phase: "review",
        note: expect.stringContaining("sent something else"),
      });
    }
  });

  test("a failure in one is not reported as something that the other sent", async () => {
    const { openTab } = createWorld(refused(422, "transaction_failed"));
    const { flow } = openTab();
    await flow.start(["a"]);
    await flow.confirm();
    await flow.renew(null);
    expect(flow.getState()).toMatchObject({ phase: "review", note: null });
  });

  describe.each(["confirm", "renew"] as const)(
    "both go on with what was left, and one has looked before: %s",
    (action) => {
      const bothResume = async () => {
        const world = createWorld("landed", refused(422, "simulation_failed"));
        const first = world.openTab();
        await first.flow.start(["a", "b", "c"]);
        await first.flow.confirm();
        const [one, two] = [world.openTab(), world.openTab()];
        await Promise.all([one.flow.resume(), two.flow.resume()]);
        return {
          ...world,
          one,
          two,
          act: () => (action === "confirm" ? two.flow.confirm() : two.flow.renew(null, true)),
        };
      };

      test("does not build again what the other has done since", async () => {
        const { one, two, act, storage, kept } = await bothResume();
        await storage.set(
          getRecordKey("test", wallet),
          JSON.stringify({ ...kept(), done: [...kept()!.done, { label: "b", about: "b", txSignature: "s" }] }),
        );
        await storage.set(`roundup-sent:${wallet}`, "99");
        await act();
        expect(two.built.at(-1)).toEqual(["c"]);
        expect(two.flow.getState()).toMatchObject({
          phase: "review",
          note: expect.stringContaining("sent something else"),
        });
        expect(one.flow.getState().phase).toBe("review");
      });

      test("signs nothing that was built while the other was sending unannounced", async () => {
        const { two, act, storage, kept, posted } = await bothResume();
        const before = posted.length;
        await storage.set(
          getRecordKey("test", wallet),
          JSON.stringify({ ...kept(), done: [...kept()!.done, { label: "b", about: "b", txSignature: "s" }] }),
        );
        await act();
        expect(two.built.at(-1)).toEqual(["c"]);
        expect([two.flow.getState().phase, posted.length]).toEqual(["review", before]);
      });

      test("nothing is built once the other has done all of it, or left it at that", async () => {
        for (const end of ["confirm", "discard"] as const) {
          const { one, two, act, posted } = await bothResume();
          await one.flow[end]();
          const before = [two.built.length, posted.length];
          await act();
          expect([two.flow.getState().phase, two.built.length, posted.length]).toEqual(["idle", ...before]);
        }
      });
    },
  );

  test("the other continues where one stopped halfway, after another review", async () => {
    const { openTab, posted } = createWorld("landed", refused(422, "simulation_failed"));
    const [one, two] = [openTab(), openTab()];
    await one.flow.start(["a", "b"]);
    await two.flow.start(["a", "b"]);
    await one.flow.confirm();
    await two.flow.confirm();
    expect(two.built.at(-1)).toEqual(["b"]);
    expect(two.flow.getState()).toMatchObject({
      phase: "review",
      note: expect.stringContaining("sent something else"),
    });
    expect(posted).toHaveLength(2);
  });

  test("a build made while the other tab was sending is rebuilt before it is signed", async () => {
    const { openTab, posted } = createWorld(() => two.flow.start(["a"]));
    const [one, two] = [openTab(), openTab()];
    await one.flow.start(["a"]);
    await one.flow.confirm();
    expect([one.flow.getState().phase, two.flow.getState().phase]).toEqual(["done", "review"]);
    await two.flow.confirm();
    expect(two.flow.getState()).toMatchObject({
      phase: "review",
      note: expect.stringContaining("sent something else"),
    });
    expect(posted).toHaveLength(1);
  });

  test.each(["confirm", "renew"] as const)(
    "in review while the other left something under way: %s asks what became of it and pays nothing",
    async (action) => {
      const { openTab, posted } = createWorld(refused(500, "internal"));
      const [one, two] = [openTab(), openTab()];
      await one.flow.start(["a"]);
      await two.flow.start(["a"]);
      await one.flow.confirm();
      expect(one.flow.getState().phase).toBe("unknown");
      if (action === "confirm") await two.flow.confirm();
      else await two.flow.renew(null);
      expect(two.flow.getState().phase).toBe("done");
      expect(posted).toEqual([posted[0], posted[0]]);
    },
  );

  test("a build is renewed when another flow has sent something since, with an unknown outcome", async () => {
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

  test("one cannot discard what the other is sending", async () => {
    const { openTab, kept } = createWorld();
    const asked = defer<void>();
    const answer = defer<void>();
    const slow = async (transaction: string) => {
      asked.resolve();
      await answer.promise;
      return sign(transaction);
    };
    let first = true;
    const signer = (transaction: string) => {
      if (!first) return slow(transaction);
      first = false;
      return sign(transaction);
    };
    const [one, two] = [openTab({}, { openSigner: async () => signer }), openTab()];
    await one.flow.start(["a", "b"]);
    const confirmation = one.flow.confirm();
    await asked.promise;
    await two.flow.discard();
    expect(kept()).toMatchObject({ done: [{ label: "a" }] });
    answer.resolve();
    await confirmation;
    expect(one.flow.getState().phase).toBe("done");
  });
});

describe("a price that moved too far", () => {
  const listPrices = () => ({ SOL: 75 });
  async function moved() {
    const world = createWorld();
    const prices = createOpenPriceGuard();
    await prices.confirm({ SOL: 150 });
    return { ...world, prices, openTab: (changed = {}) => world.openTab({ listPrices, ...changed }, { prices }) };
  }

  test("is shown with what it was, and confirming the review signs nothing until it is accepted", async () => {
    const { openTab, posted, prices } = await moved();
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

  test("that appears between the review and the signature brings the review back", async () => {
    const { openTab, posted, prices } = await moved();
    let usd = 150;
    const { flow } = openTab({ listPrices: () => ({ SOL: usd }) });
    await flow.start(["a"]);
    expect(flow.getState().doubts).toEqual([]);
    usd = 75;
    await flow.confirm();
    expect(flow.getState()).toMatchObject({ phase: "review", doubts: [{ asset: "SOL" }] });
    expect([posted, await prices.readConfirmed()]).toEqual([[], { SOL: 150 }]);
  });

  test("beyond all bounds is refused before it is shown", async () => {
    const { openTab } = await moved();
    const { flow } = openTab({ listPrices: () => ({ SOL: 0.0001 }) });
    await flow.start(["a"]);
    const reason = expect.stringContaining("not plausible");
    expect(flow.getState()).toMatchObject({ phase: "refused", open: false, build: { reason } });
  });
});
