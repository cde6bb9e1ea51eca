import bs58 from "bs58";
import nacl from "tweetnacl";
import { describe, expect, test } from "vitest";
import { ApiError } from "@/lib/sdk/calls/api-error";
import { createCalls } from "@/lib/sdk/calls/calls";
import { drive } from "@/lib/sdk/flow/drive";
import { createFlow } from "@/lib/sdk/flow/engine";
import { getRecordKey } from "@/lib/sdk/flow/record";
import type { FlowSpec, World } from "@/lib/sdk/flow/types";
import { signWithKey } from "@/lib/sdk/sign/transactions";
import { memoryStorage, processLock } from "@/lib/sdk/world";
import { toBase64 } from "@/lib/solana/bytes";
import { createSystemTransfer } from "@/lib/solana/system-instructions";
import { composeTransaction } from "@/lib/solana/transactions";
import { createOpenPriceGuard } from "../../../support/fakes/price-guard";

const keys = nacl.sign.keyPair();
const wallet = bs58.encode(keys.publicKey);
const { bytes } = composeTransaction({
  payer: wallet,
  instructions: [createSystemTransfer(wallet, wallet, 1n)],
  blockhash: wallet,
});

interface Build {
  ready: boolean;
  reason: string | null;
  blocked?: string | null;
}

const spec = (build: Build = { ready: true, reason: null }): FlowSpec<object, Build, string> => ({
  name: "test",
  wallet,
  build: async () => ({ ...build }),
  listSteps: () => [{ label: "one", transaction: toBase64(bytes), about: "one" }],
  verify: async (build) => build,
  findRest: (request, done) => (done.length > 0 ? null : request),
});

/** Answers these statuses and codes in turn, null: it lands; then all land. */
function world(...codes: ([status: number, code: string] | null)[]): World<string> & { posts: number } {
  const clock = { now: () => 0, sleep: async () => {} };
  const it = { posts: 0 };
  const fetch = async () => {
    it.posts += 1;
    const next = codes.shift();
    if (next) return Response.json({ ok: false, error: "No.", code: next[1] }, { status: next[0] });
    const data = { confirmed: true, status: "confirmed", slot: 1, network: "sandbox", txSignature: "sig" };
    return Response.json({ ok: true, data });
  };
  return Object.assign(it, {
    calls: createCalls({ baseUrl: "", clock, fetch }),
    clock,
    storage: memoryStorage(),
    lock: processLock(),
    prices: createOpenPriceGuard(),
    openSigner: async () => async (transaction: string) => signWithKey(transaction, keys),
    onLanded: () => {},
  });
}

const yes = () => true;
/** Needs two transactions. */
const inTwo = () => ({ ...spec(), findRest: (request: object, done: unknown[]) => (done.length > 1 ? null : request) });

describe("a flow without a page", () => {
  test("is done once it was confirmed", async () => {
    const transactions = [{ label: "one", about: "one", txSignature: "sig" }];
    expect(await drive(spec(), world(), {}, yes)).toEqual({ status: "done", transactions });
  });

  test("signs nothing that was not confirmed", async () => {
    const it = world();
    expect(await drive(spec(), it, {}, () => false)).toEqual({ status: "cancelled", transactions: [] });
    expect(it.posts).toBe(0);
  });

  test.each([
    ["what was not built", { ready: false, reason: "Below the threshold." }, "Below the threshold."],
    ["what cannot be paid", { ready: true, reason: null, blocked: "Too little SOL." }, "Too little SOL."],
  ])("%s is refused with the reason, and nobody is asked", async (_what, build, reason) => {
    const never = () => expect.fail("asked");
    expect(await drive(spec(build), world(), {}, never)).toMatchObject({ status: "refused", reason });
  });

  test("an expired transaction is rebuilt and confirmed again, and the result says so", async () => {
    const notes: (string | null)[] = [];
    const confirm = (_build: Build, note: string | null) => notes.push(note) > 0;
    expect(await drive(spec(), world([422, "transaction_expired"]), {}, confirm)).toMatchObject({ status: "done" });
    expect(notes).toEqual([null, expect.stringContaining("We refreshed the amounts")]);
  });

  test.each([
    ["that is not confirmed again", { ready: true, reason: null }, "cancelled"],
    ["that cannot be built again", { ready: false, reason: "Below the threshold." }, "refused"],
  ])("names the transactions that landed before when the rest %s", async (_what, rest, status) => {
    const builds = [{ ready: true, reason: null }, rest];
    const result = await drive(
      { ...inTwo(), build: async () => ({ ...builds.shift()! }) },
      world(),
      {},
      (_, note) => note === null,
    );
    expect(result).toMatchObject({ status, transactions: [{ label: "one", txSignature: "sig" }] });
  });

  test("a repeated request reports what landed, does not pay it again, and continues with the rest", async () => {
    const it = world(null, [422, "simulation_failed"]);
    expect(await drive(inTwo(), it, { usd: 4.02, plan: undefined }, yes)).toMatchObject({ status: "failed" });
    const told: unknown[] = [];
    const confirm = (_build: Build, note: string | null, landed: unknown[]) => told.push(note, landed) > 0;
    const transactions = [{ txSignature: "sig" }, { txSignature: "sig" }];
    expect(await drive(inTwo(), it, { usd: 4.02 }, confirm)).toMatchObject({ status: "done", transactions });
    expect(told).toMatchObject([null, [{ label: "one", txSignature: "sig" }]]);
    expect(it.posts).toBe(3);
    expect(await drive(inTwo(), it, { usd: 4.02 }, () => false)).toEqual({ status: "cancelled", transactions: [] });
  });

  test("payments that another device has saved are reported as saved and forgotten, even after a lost answer", async () => {
    const elsewhere = { status: "elsewhere", error: { code: "already_saved" }, transactions: [] };
    expect(await drive(spec(), world([409, "already_saved"]), {}, yes)).toMatchObject(elsewhere);
    const it = world([500, "internal"], [409, "already_saved"]);
    expect(await drive(spec(), it, {}, yes)).toMatchObject({ status: "unknown" });
    const build = () => Promise.reject(new ApiError("already_saved", "No.", { status: 409 }));
    expect(await drive({ ...spec(), build }, it, {}, yes)).toMatchObject(elsewhere);
    expect(await drive({ ...spec(), build }, it, {}, yes)).toMatchObject(elsewhere);
    expect(it.posts).toBe(2);
    expect(await drive(spec(), it, {}, yes)).toMatchObject({ status: "done" });
  });

  test("an unknown outcome is reported, and the next call asks for it before it builds", async () => {
    const it = world([500, "internal"]);
    expect(await drive(spec(), it, {}, yes)).toMatchObject({ status: "unknown" });
    const never = () => expect.fail("asked");
    expect(await drive(spec(), it, {}, never)).toMatchObject({ status: "done" });
  });

  describe("called with another request while an outcome is open", () => {
    const never = () => expect.fail("asked");
    const lost: [number, string] = [500, "internal"];
    const [first, second] = [{ usd: 4.02, plan: undefined }, { usd: 27.63 }];

    test("it answers what became of the earlier one, by name, and begins nothing", async () => {
      const it = world(lost, lost);
      expect(await drive(spec(), it, first, yes)).toMatchObject({ status: "unknown" });
      const earlier = { status: "earlier", request: { usd: 4.02 } };
      expect(await drive(spec(), it, second, never)).toMatchObject({ ...earlier, outcome: "unknown" });
      const transactions = [{ label: "one", about: "one", txSignature: "sig" }];
      expect(await drive(spec(), it, second, never)).toMatchObject({ ...earlier, outcome: "landed", transactions });
      expect(it.posts).toBe(3);
      expect(await drive(spec(), it, second, yes)).toMatchObject({ status: "done" });
      expect(it.posts).toBe(4);
    });

    test("a request with the same meaning in other words counts as the same request", async () => {
      const it = world(lost);
      await drive(spec(), it, { usd: 4.02, plan: undefined, mark: { a: 1, b: 2 } }, yes);
      expect(await drive(spec(), it, { mark: { b: 2, a: 1 }, usd: 4.02 }, never)).toMatchObject({ status: "done" });
    });

    test("continues with the new request once no part of the earlier one can land", async () => {
      const built: object[] = [];
      const noted = {
        ...spec(),
        build: async (_: unknown, request: object): Promise<Build> => {
          built.push(request);
          return { ready: true, reason: null };
        },
      };
      const it = world(lost, [422, "transaction_expired"]);
      await drive(noted, it, first, yes);
      const requests: (string | null)[] = [];
      const confirm = (_build: Build, note: string | null) => requests.push(note) > 0;
      expect(await drive(noted, it, second, confirm)).toMatchObject({ status: "done" });
      expect([requests, built.at(-1)]).toEqual([[null], second]);
    });

    test("does not begin the rest of an earlier request that landed in part", async () => {
      const it = world(lost);
      await drive(inTwo(), it, first, yes);
      expect(await drive(inTwo(), it, second, never)).toMatchObject({
        ...{ status: "earlier", request: { usd: 4.02 }, outcome: "in_part" },
        transactions: [{ txSignature: "sig" }],
      });
    });

    test("found out only after it was confirmed, it is not signed", async () => {
      const it = world(lost);
      const mayAsk = (_build: Build) => drive(spec(), it, first, yes).then(() => true);
      expect(await drive(spec(), it, second, mayAsk)).toMatchObject({ status: "earlier", outcome: "landed" });
      expect(it.posts).toBe(2);
    });
  });

  test("a request that another program has ended is not continued, and what landed is reported", async () => {
    const it = world();
    const forgetting = async () => {
      if (it.posts > 0) await it.storage.set(getRecordKey("test", wallet), null);
      return true;
    };
    expect(await drive(inTwo(), it, {}, forgetting)).toMatchObject({
      status: "elsewhere",
      error: { message: expect.stringContaining("Another program") },
      transactions: [{ label: "one", txSignature: "sig" }],
    });
    expect(it.posts).toBe(1);
  });

  test.each([
    ["lands", null],
    ["comes to nothing", [422, "transaction_expired"] as [number, string]],
  ])(
    "what had landed is said, and not paid again, where another request was begun meanwhile and %s",
    async (_what, end) => {
      const it = world(null, [500, "internal"], end);
      let asked = 0;
      const interrupted = async () => {
        if (++asked === 2) expect(await drive(spec(), it, { usd: 4.02 }, yes)).toMatchObject({ status: "unknown" });
        return true;
      };
      expect(await drive(inTwo(), it, { usd: 27.63 }, interrupted)).toMatchObject({
        status: "elsewhere",
        transactions: [{ label: "one", txSignature: "sig" }],
      });
      expect([asked, it.posts]).toEqual([2, 3]);
    },
  );

  test("keeps what is known of a request while another one is shown in its place", async () => {
    const lost: [number, string] = [500, "internal"];
    const it = world(lost, null, lost);
    const flow = createFlow(spec(), () => it);
    await flow.start({ usd: 27.63 });
    await flow.confirm();
    expect(flow.getState()).toMatchObject({ phase: "unknown", earlier: null });
    expect(await drive(spec(), it, { usd: 4.02 }, yes)).toMatchObject({ status: "earlier", outcome: "landed" });
    expect(await drive(spec(), it, { usd: 4.02 }, yes)).toMatchObject({ status: "unknown" });
    await flow.checkAgain();
    expect(flow.getState()).toMatchObject({
      ...{ phase: "done", record: { request: { usd: 4.02 } } },
      earlier: { request: { usd: 27.63 }, inFlight: { label: "one" } },
    });
  });

  test("fails instead of waiting or paying while another one is sending", async () => {
    const it = { ...world(), lock: async () => false };
    expect(await drive(spec(), it, {}, yes)).toMatchObject({ status: "failed" });
  });
});
