import bs58 from "bs58";
import nacl from "tweetnacl";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createFlow, VALID_MS } from "@/lib/sdk/flow/engine";
import { remainingLegs } from "@/lib/sdk/flow/invest";
import type { FlowSpec, World } from "@/lib/sdk/flow/types";
import type { Unfinished } from "@/lib/sdk/flow/unfinished";
import { withdrawSpec } from "@/lib/sdk/flow/withdraw";
import { toBase64 } from "@/lib/solana/bytes";
import { systemTransfer } from "@/lib/solana/system-instructions";
import { composeTransaction } from "@/lib/solana/transactions";

const keys = nacl.sign.keyPair();
const wallet = bs58.encode(keys.publicKey);

/** A request is a list of names; each becomes one transaction. */
type Request = string[];
interface Build {
  ready: boolean;
  reason: string | null;
  names: string[];
}

const transactionOf = (name: string) => {
  const lamports = BigInt(name.charCodeAt(0));
  const instructions = [systemTransfer(wallet, wallet, lamports)];
  return toBase64(composeTransaction({ payer: wallet, instructions, blockhash: wallet }).bytes);
};

const spec: FlowSpec<Request, Build, string> = {
  name: "test",
  build: async (names) => ({ ready: true, reason: null, names }),
  stepsOf: ({ names }) => names.map((name) => ({ label: name, transaction: transactionOf(name), about: name })),
  verify: async () => {},
  restOf(request, done) {
    const left = request.filter((name) => !done.some(({ about }) => about === name));
    return left.length > 0 ? left : null;
  },
};

type Record = Unfinished<Request, string>;

function setUp(changed: Partial<FlowSpec<Request, Build, string>> = {}, world: Partial<World> = {}) {
  const kept: { current: Record | null } = { current: null };
  const built: Request[] = [];
  const used = { ...spec, ...changed };
  const flow = createFlow<Request, Build, string>(
    {
      ...used,
      build: (request, credentials) => {
        built.push(request);
        return used.build(request, credentials);
      },
    },
    () => ({
      credentials: { "x-api-key": "key" },
      serviceKey: async () => keys,
      keep: (record) => {
        kept.current = structuredClone(record) as Record | null;
      },
      kept: () => kept.current,
      landed: () => {},
      alone: async (task) => {
        await task();
        return true;
      },
      ...world,
    }),
  );
  return { flow, kept, built };
}

const confirmed = {
  ok: true,
  data: { txSignature: "sig", confirmed: true, status: "confirmed", slot: 1, network: "sandbox" },
};
const refused = (status: number, code: string) => ({ status, body: { ok: false, error: `It is ${code}.`, code } });

/** Answers posts in turn; what was posted is returned. */
function relayAnswers(...answers: ({ status: number; body: object } | "landed")[]): string[] {
  const posted: string[] = [];
  vi.stubGlobal("fetch", async (_path: string, init: RequestInit) => {
    posted.push(JSON.parse(String(init.body)).signedTransaction);
    const answer = answers.shift() ?? "landed";
    if (answer === "landed")
      return Response.json({ ...confirmed, data: { ...confirmed.data, txSignature: `sig${posted.length}` } });
    return Response.json(answer.body, { status: answer.status });
  });
  return posted;
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("a run of transactions", () => {
  test("signs nothing before it is confirmed, then relays each in order", async () => {
    const posted = relayAnswers();
    const { flow, kept } = setUp();
    await flow.start(["a", "b"]);
    expect([flow.state().phase, posted.length]).toEqual(["review", 0]);
    await flow.confirm();
    expect(flow.state().phase).toBe("done");
    expect(flow.state().record?.done.map(({ label, txSignature }) => [label, txSignature])).toEqual([
      ["a", "sig1"],
      ["b", "sig2"],
    ]);
    expect(kept.current).toBeNull();
  });

  test.each(["transaction_expired", "simulation_failed", "transaction_failed"])(
    "%s in the middle: what is left is built anew and shown again, with a word about it",
    async (code) => {
      relayAnswers("landed", refused(422, code));
      const { flow, kept, built } = setUp();
      await flow.start(["a", "b", "c"]);
      await flow.confirm();
      expect(flow.state()).toMatchObject({ phase: "review", note: expect.stringContaining("“b”") });
      expect(built).toEqual([
        ["a", "b", "c"],
        ["b", "c"],
      ]);
      expect(kept.current).toMatchObject({ done: [{ label: "a" }], inFlight: null });
      await flow.confirm();
      expect(flow.state().phase).toBe("done");
    },
  );

  test("an outcome nobody knows is asked for again with the same bytes, and nothing is built meanwhile", async () => {
    const posted = relayAnswers(refused(500, "internal"));
    const { flow, kept, built } = setUp();
    await flow.start(["a", "b"]);
    await flow.confirm();
    expect(flow.state().phase).toBe("unknown");
    expect(built).toHaveLength(1);
    expect(kept.current?.inFlight?.signed).toBe(posted[0]);
    await flow.checkAgain();
    expect(posted[1]).toBe(posted[0]);
    expect(flow.state()).toMatchObject({ phase: "review", record: { done: [{ label: "a" }] } });
    expect(built[1]).toEqual(["b"]);
  });

  test("begun anew while an outcome is unknown, it asks for that outcome: nothing is paid twice", async () => {
    const posted = relayAnswers(refused(500, "internal"));
    const { flow, built } = setUp();
    await flow.start(["a", "b"]);
    await flow.confirm();
    flow.close();
    await flow.start(["a", "b"]);
    expect(posted).toEqual([posted[0], posted[0]]);
    expect(built[1]).toEqual(["b"]);
    expect(flow.state()).toMatchObject({ phase: "review", record: { done: [{ label: "a" }] } });
  });

  test("what was in flight when the page was closed is asked for first", async () => {
    const posted = relayAnswers();
    const { flow, built } = setUp();
    await flow.resume({ request: ["a", "b"], done: [], inFlight: { label: "a", about: "a", signed: "bytes" } });
    expect(posted).toEqual(["bytes"]);
    expect(built).toEqual([["b"]]);
    expect(flow.state().phase).toBe("review");
  });

  test("a transaction that is not what was shown is never signed", async () => {
    const posted = relayAnswers();
    const asked = vi.fn(async () => {
      throw new Error("It sends more SOL than was shown.");
    });
    const { flow } = setUp({ verify: asked });
    await flow.start(["a"]);
    await flow.confirm();
    expect(flow.state()).toMatchObject({ phase: "failed", error: { message: "It sends more SOL than was shown." } });
    expect(posted).toHaveLength(0);
  });

  test("without the service key nothing happens, and the review stays", async () => {
    const posted = relayAnswers();
    const { flow } = setUp({}, { serviceKey: () => Promise.reject(new Error("declined")) });
    await flow.start(["a"]);
    await flow.confirm();
    expect(flow.state()).toMatchObject({ phase: "review", keyError: { message: "declined" } });
    expect(posted).toHaveLength(0);
  });

  test("time that ran out while the wallet was asked leads to a new review, not to a signature", async () => {
    vi.useFakeTimers();
    const posted = relayAnswers();
    const { flow, built } = setUp(
      {},
      {
        serviceKey: async () => {
          vi.setSystemTime(Date.now() + VALID_MS);
          return keys;
        },
      },
    );
    await flow.start(["a"]);
    await flow.confirm();
    expect(flow.state()).toMatchObject({ phase: "review", note: expect.stringContaining("Time ran out") });
    expect([built.length, posted.length]).toEqual([2, 0]);
  });

  test("closed while it is built: the late answer changes nothing", async () => {
    let answer: (build: Build) => void = () => {};
    const { flow } = setUp({ build: () => new Promise((resolve) => (answer = resolve)) });
    const started = flow.start(["a"]);
    flow.close();
    answer({ ready: true, reason: null, names: ["a"] });
    await started;
    expect(flow.state().phase).toBe("idle");
  });

  test("another tab at work keeps this one from sending", async () => {
    const posted = relayAnswers();
    const { flow } = setUp({}, { alone: async () => false });
    await flow.start(["a"]);
    await flow.confirm();
    expect(flow.state()).toMatchObject({ phase: "review", note: expect.stringContaining("Another tab") });
    expect(posted).toHaveLength(0);
  });
});

describe("what is left of an allocation", () => {
  const legs = [
    { asset: "BTC" as const, pct: 33.33 },
    { asset: "ETH" as const, pct: 33.33 },
    { asset: "USDC" as const, pct: 23.34 },
    { asset: "SOL" as const, pct: 10 },
  ];

  test("keeps its proportions and sums to exactly 100", () => {
    const left = remainingLegs(legs, ["BTC"])!;
    expect(left.map(({ asset }) => asset)).toEqual(["ETH", "USDC", "SOL"]);
    expect(left.reduce((sum, { pct }) => sum + Math.round(pct * 100), 0)).toBe(10_000);
    expect(left[1]!.pct).toBeCloseTo((23.34 / 66.67) * 100, 1);
  });

  test("is nothing when only SOL is left, which stays", () => {
    expect(remainingLegs(legs, ["BTC", "ETH", "USDC"])).toBeNull();
  });
});

describe("what is left of a withdrawal", () => {
  const { restOf } = withdrawSpec(wallet);
  const btc = { asset: "BTC" as const, symbol: "BTC", mint: "m", decimals: 8 };
  const sent = (amount: string, last: boolean) => [
    { label: "Send BTC", txSignature: "s", about: { assets: [{ ...btc, amount }], last, empties: false } },
  ];

  test("everything stays everything until the last transaction has landed", () => {
    const request = { destination: wallet, asset: null, amount: null };
    expect(restOf(request, sent("5", false))).toEqual(request);
    expect(restOf(request, sent("5", true))).toBeNull();
  });

  test("of an amount, what was sent is taken off", () => {
    const request = { destination: wallet, asset: "BTC" as const, amount: "12" };
    expect(restOf(request, sent("5", false))).toEqual({ ...request, amount: "7" });
    expect(restOf(request, sent("12", false))).toBeNull();
  });
});
