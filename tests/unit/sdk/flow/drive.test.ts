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

const createSpec = (build: Build = { ready: true, reason: null }): FlowSpec<object, Build, string> => ({
  name: "test",
  wallet,
  build: async () => ({ ...build }),
  listSteps: () => [{ label: "one", transaction: toBase64(bytes), about: "one" }],
  verify: async (build) => build,
  findRest: (request, done) => (done.length > 0 ? null : request),
});

/** Creates a world whose service gives these answers in turn. Null, and every later answer, is a landing. */
function createWorld(...codes: ([status: number, code: string] | null)[]): World<string> & { posts: number } {
  const clock = { now: () => 0, sleep: async () => {} };
  const world = { posts: 0 };
  const fetch = async () => {
    world.posts += 1;
    const next = codes.shift();
    if (next) return Response.json({ ok: false, error: "No.", code: next[1] }, { status: next[0] });
    const data = { confirmed: true, status: "confirmed", slot: 1, network: "sandbox", txSignature: "sig" };
    return Response.json({ ok: true, data });
  };
  return Object.assign(world, {
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
/** A spec that needs two transactions. */
const createTwoStepSpec = () => ({
  ...createSpec(),
  findRest: (request: object, done: unknown[]) => (done.length > 1 ? null : request),
});

describe("drive", () => {
  test("reports done after a confirmed payment landed", async () => {
    const transactions = [{ label: "one", about: "one", txSignature: "sig" }];
    expect(await drive(createSpec(), createWorld(), {}, yes)).toEqual({ status: "done", transactions });
  });

  test("signs nothing without the confirmation", async () => {
    const world = createWorld();
    expect(await drive(createSpec(), world, {}, () => false)).toEqual({ status: "cancelled", transactions: [] });
    expect(world.posts).toBe(0);
  });

  test.each([
    ["was not built", { ready: false, reason: "Below the threshold." }, "Below the threshold."],
    ["cannot be paid", { ready: true, reason: null, blocked: "Too little SOL." }, "Too little SOL."],
  ])("refuses with the reason, without a confirmation, if the payment %s", async (_what, build, reason) => {
    const never = () => expect.fail("asked");
    expect(await drive(createSpec(build), createWorld(), {}, never)).toMatchObject({ status: "refused", reason });
  });

  test("rebuilds an expired transaction, and asks for a new confirmation", async () => {
    const notes: (string | null)[] = [];
    const confirm = (_build: Build, note: string | null) => notes.push(note) > 0;
    expect(await drive(createSpec(), createWorld([422, "transaction_expired"]), {}, confirm)).toMatchObject({
      status: "done",
    });
    expect(notes).toEqual([null, expect.stringContaining("We refreshed the amounts")]);
  });

  test.each([
    ["is not confirmed", { ready: true, reason: null }, "cancelled"],
    ["cannot be built", { ready: false, reason: "Below the threshold." }, "refused"],
  ])("names the transactions that landed if the rest %s", async (_what, rest, status) => {
    const builds = [{ ready: true, reason: null }, rest];
    const result = await drive(
      { ...createTwoStepSpec(), build: async () => ({ ...builds.shift()! }) },
      createWorld(),
      {},
      (_, note) => note === null,
    );
    expect(result).toMatchObject({ status, transactions: [{ label: "one", txSignature: "sig" }] });
  });

  test("continues a repeated request with the part that has not landed", async () => {
    const world = createWorld(null, [422, "simulation_failed"]);
    expect(await drive(createTwoStepSpec(), world, { usd: 4.02, plan: undefined }, yes)).toMatchObject({
      status: "failed",
    });
    const confirmations: unknown[] = [];
    const confirm = (_build: Build, note: string | null, landed: unknown[]) => confirmations.push(note, landed) > 0;
    const transactions = [{ txSignature: "sig" }, { txSignature: "sig" }];
    expect(await drive(createTwoStepSpec(), world, { usd: 4.02 }, confirm)).toMatchObject({
      status: "done",
      transactions,
    });
    expect(confirmations).toMatchObject([null, [{ label: "one", txSignature: "sig" }]]);
    expect(world.posts).toBe(3);
    expect(await drive(createTwoStepSpec(), world, { usd: 4.02 }, () => false)).toEqual({
      status: "cancelled",
      transactions: [],
    });
  });

  test("reports payments that another device has saved, also after a lost answer", async () => {
    const elsewhere = { status: "elsewhere", error: { code: "already_saved" }, transactions: [] };
    expect(await drive(createSpec(), createWorld([409, "already_saved"]), {}, yes)).toMatchObject(elsewhere);
    const world = createWorld([500, "internal"], [409, "already_saved"]);
    expect(await drive(createSpec(), world, {}, yes)).toMatchObject({ status: "unknown" });
    const build = () => Promise.reject(new ApiError("already_saved", "No.", { status: 409 }));
    expect(await drive({ ...createSpec(), build }, world, {}, yes)).toMatchObject(elsewhere);
    expect(await drive({ ...createSpec(), build }, world, {}, yes)).toMatchObject(elsewhere);
    expect(world.posts).toBe(2);
    expect(await drive(createSpec(), world, {}, yes)).toMatchObject({ status: "done" });
  });

  test("resolves an unknown outcome in the next call before it builds", async () => {
    const world = createWorld([500, "internal"]);
    expect(await drive(createSpec(), world, {}, yes)).toMatchObject({ status: "unknown" });
    const never = () => expect.fail("asked");
    expect(await drive(createSpec(), world, {}, never)).toMatchObject({ status: "done" });
  });

  describe("with another request while an outcome is unknown", () => {
    const never = () => expect.fail("asked");
    const lost: [number, string] = [500, "internal"];
    const [first, second] = [{ usd: 4.02, plan: undefined }, { usd: 27.63 }];

    test("returns the outcome of the earlier request, and starts nothing", async () => {
      const world = createWorld(lost, lost);
      expect(await drive(createSpec(), world, first, yes)).toMatchObject({ status: "unknown" });
      const earlier = { status: "earlier", request: { usd: 4.02 } };
      expect(await drive(createSpec(), world, second, never)).toMatchObject({ ...earlier, outcome: "unknown" });
      const transactions = [{ label: "one", about: "one", txSignature: "sig" }];
      expect(await drive(createSpec(), world, second, never)).toMatchObject({
        ...earlier,
        outcome: "landed",
        transactions,
      });
      expect(world.posts).toBe(3);
      expect(await drive(createSpec(), world, second, yes)).toMatchObject({ status: "done" });
      expect(world.posts).toBe(4);
    });

    test("treats a request with reordered or undefined members as the same", async () => {
      const world = createWorld(lost);
      await drive(createSpec(), world, { usd: 4.02, plan: undefined, mark: { a: 1, b: 2 } }, yes);
      expect(await drive(createSpec(), world, { mark: { b: 2, a: 1 }, usd: 4.02 }, never)).toMatchObject({
        status: "done",
      });
    });

    test("starts the new request once no part of the earlier one can land", async () => {
      const built: object[] = [];
      const noted = {
        ...createSpec(),
        build: async (_: unknown, request: object): Promise<Build> => {
          built.push(request);
          return { ready: true, reason: null };
        },
      };
      const world = createWorld(lost, [422, "transaction_expired"]);
      await drive(noted, world, first, yes);
      const requests: (string | null)[] = [];
      const confirm = (_build: Build, note: string | null) => requests.push(note) > 0;
      expect(await drive(noted, world, second, confirm)).toMatchObject({ status: "done" });
      expect([requests, built.at(-1)]).toEqual([[null], second]);
    });

    test("does not start the rest of an earlier request that landed in part", async () => {
      const world = createWorld(lost);
      await drive(createTwoStepSpec(), world, first, yes);
      expect(await drive(createTwoStepSpec(), world, second, never)).toMatchObject({
        status: "earlier",
        request: { usd: 4.02 },
        outcome: "in_part",
        transactions: [{ txSignature: "sig" }],
      });
    });

    test("does not sign if the earlier request appears during the confirmation", async () => {
      const world = createWorld(lost);
      const mayAsk = (_build: Build) => drive(createSpec(), world, first, yes).then(() => true);
      expect(await drive(createSpec(), world, second, mayAsk)).toMatchObject({ status: "earlier", outcome: "landed" });
      expect(world.posts).toBe(2);
    });
  });

  test("does not continue a request that another program has ended", async () => {
    const world = createWorld();
    const forgetting = async () => {
      if (world.posts > 0) await world.storage.set(getRecordKey("test", wallet), null);
      return true;
    };
    expect(await drive(createTwoStepSpec(), world, {}, forgetting)).toMatchObject({
      status: "elsewhere",
      error: { message: expect.stringContaining("Another program") },
      transactions: [{ label: "one", txSignature: "sig" }],
    });
    expect(world.posts).toBe(1);
  });

  test.each([
    ["lands", null],
    ["expires", [422, "transaction_expired"] as [number, string]],
  ])("reports what landed, and pays nothing twice, if another request starts meanwhile and %s", async (_what, end) => {
    const world = createWorld(null, [500, "internal"], end);
    let confirmCount = 0;
    const interrupted = async () => {
      if (++confirmCount === 2)
        expect(await drive(createSpec(), world, { usd: 4.02 }, yes)).toMatchObject({ status: "unknown" });
      return true;
    };
    expect(await drive(createTwoStepSpec(), world, { usd: 27.63 }, interrupted)).toMatchObject({
      status: "elsewhere",
      transactions: [{ label: "one", txSignature: "sig" }],
    });
    expect([confirmCount, world.posts]).toEqual([2, 3]);
  });

  test("keeps the record of a request while the flow shows another request", async () => {
    const lost: [number, string] = [500, "internal"];
    const world = createWorld(lost, null, lost);
    const flow = createFlow(createSpec(), () => world);
    await flow.start({ usd: 27.63 });
    await flow.confirm();
    expect(flow.getState()).toMatchObject({ phase: "unknown", earlier: null });
    expect(await drive(createSpec(), world, { usd: 4.02 }, yes)).toMatchObject({
      status: "earlier",
      outcome: "landed",
    });
    expect(await drive(createSpec(), world, { usd: 4.02 }, yes)).toMatchObject({ status: "unknown" });
    await flow.checkAgain();
    expect(flow.getState()).toMatchObject({
      phase: "done",
      record: { request: { usd: 4.02 } },
      earlier: { request: { usd: 27.63 }, inFlight: { label: "one" } },
    });
  });

  test("fails instead of waiting or paying while another program is sending", async () => {
    const world = { ...createWorld(), lock: async () => false };
    expect(await drive(createSpec(), world, {}, yes)).toMatchObject({ status: "failed" });
  });
});
