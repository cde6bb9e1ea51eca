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

/** Creates a world whose service gives these failures in turn. The transaction lands for null and after the last one. */
function createWorld(...failures: ([status: number, code: string] | null)[]): World<string> & { posts: number } {
  const clock = { now: () => 0, sleep: async () => {} };
  const world = { posts: 0 };
  const fetch = async () => {
    world.posts += 1;
    const failure = failures.shift();
    if (failure) return Response.json({ ok: false, error: "No.", code: failure[1] }, { status: failure[0] });
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

const approve = () => true;
const failIfAsked = () => expect.fail("The user was asked.");
const SPEC = createSpec();
/** A payment that needs two transactions. */
const TWO_STEP_SPEC: typeof SPEC = { ...SPEC, findRest: (request, done) => (done.length > 1 ? null : request) };

describe("drive", () => {
  test("completes a confirmed payment", async () => {
    const transactions = [{ label: "one", about: "one", txSignature: "sig" }];
    expect(await drive(SPEC, createWorld(), {}, approve)).toEqual({ status: "done", transactions });
  });

  test("signs nothing without a confirmation", async () => {
    const world = createWorld();
    expect(await drive(SPEC, world, {}, () => false)).toEqual({ status: "cancelled", transactions: [] });
    expect(world.posts).toBe(0);
  });

  test.each([
    ["a build that is not ready", { ready: false, reason: "Below the threshold." }, "Below the threshold."],
    ["a blocked build", { ready: true, reason: null, blocked: "Too little SOL." }, "Too little SOL."],
  ])("refuses %s with the reason, without a confirmation", async (_what, build, reason) => {
    expect(await drive(createSpec(build), createWorld(), {}, failIfAsked)).toMatchObject({ status: "refused", reason });
  });

  test("asks for a new confirmation after an expired transaction is rebuilt", async () => {
    const notes: (string | null)[] = [];
    const confirm = (_build: Build, note: string | null) => notes.push(note) > 0;
    expect(await drive(SPEC, createWorld([422, "transaction_expired"]), {}, confirm)).toMatchObject({ status: "done" });
    expect(notes).toEqual([null, expect.stringContaining("We refreshed the amounts")]);
  });

  test.each([
    ["is not confirmed", { ready: true, reason: null }, "cancelled"],
    ["cannot be built", { ready: false, reason: "Below the threshold." }, "refused"],
  ])("lists the landed transactions if the rest %s", async (_what, restBuild, status) => {
    const builds = [{ ready: true, reason: null }, restBuild];
    const result = await drive(
      { ...TWO_STEP_SPEC, build: async () => ({ ...builds.shift()! }) },
      createWorld(),
      {},
      (_, note) => note === null,
    );
    expect(result).toMatchObject({ status, transactions: [{ label: "one", txSignature: "sig" }] });
  });

  test("continues a repeated request with the rest and does not pay the landed part again", async () => {
    const world = createWorld(null, [422, "simulation_failed"]);
    expect(await drive(TWO_STEP_SPEC, world, { usd: 4.02, plan: undefined }, approve)).toMatchObject({
      status: "failed",
    });
    const confirmations: unknown[] = [];
    const confirm = (_build: Build, note: string | null, landed: unknown[]) => confirmations.push(note, landed) > 0;
    const transactions = [{ txSignature: "sig" }, { txSignature: "sig" }];
    expect(await drive(TWO_STEP_SPEC, world, { usd: 4.02 }, confirm)).toMatchObject({ status: "done", transactions });
    expect(confirmations).toMatchObject([null, [{ label: "one", txSignature: "sig" }]]);
    expect(world.posts).toBe(3);
    expect(await drive(TWO_STEP_SPEC, world, { usd: 4.02 }, () => false)).toEqual({
      status: "cancelled",
      transactions: [],
    });
  });

  test("reports payments that another device has saved, even after a lost answer", async () => {
    const elsewhere = { status: "elsewhere", error: { code: "already_saved" }, transactions: [] };
    expect(await drive(SPEC, createWorld([409, "already_saved"]), {}, approve)).toMatchObject(elsewhere);
    const world = createWorld([500, "internal"], [409, "already_saved"]);
    expect(await drive(SPEC, world, {}, approve)).toMatchObject({ status: "unknown" });
    const build = () => Promise.reject(new ApiError("already_saved", "No.", { status: 409 }));
    expect(await drive({ ...SPEC, build }, world, {}, approve)).toMatchObject(elsewhere);
    expect(await drive({ ...SPEC, build }, world, {}, approve)).toMatchObject(elsewhere);
    expect(world.posts).toBe(2);
    expect(await drive(SPEC, world, {}, approve)).toMatchObject({ status: "done" });
  });

  test("resolves an unknown outcome in the next call before it builds", async () => {
    const world = createWorld([500, "internal"]);
    expect(await drive(SPEC, world, {}, approve)).toMatchObject({ status: "unknown" });
    expect(await drive(SPEC, world, {}, failIfAsked)).toMatchObject({ status: "done" });
  });

  describe("with a new request while an earlier outcome is unknown", () => {
    const lost: [number, string] = [500, "internal"];
    const [first, second] = [{ usd: 4.02, plan: undefined }, { usd: 27.63 }];

    test("reports the outcome of the earlier request and starts nothing", async () => {
      const world = createWorld(lost, lost);
      expect(await drive(SPEC, world, first, approve)).toMatchObject({ status: "unknown" });
      const earlierResult = { status: "earlier", request: { usd: 4.02 } };
      expect(await drive(SPEC, world, second, failIfAsked)).toMatchObject({ ...earlierResult, outcome: "unknown" });
      const transactions = [{ label: "one", about: "one", txSignature: "sig" }];
      expect(await drive(SPEC, world, second, failIfAsked)).toMatchObject({
        ...earlierResult,
        outcome: "landed",
        transactions,
      });
      expect(world.posts).toBe(3);
      expect(await drive(SPEC, world, second, approve)).toMatchObject({ status: "done" });
      expect(world.posts).toBe(4);
    });

    test("treats a request with the same values in another order as the same request", async () => {
      const world = createWorld(lost);
      await drive(SPEC, world, { usd: 4.02, plan: undefined, mark: { a: 1, b: 2 } }, approve);
      expect(await drive(SPEC, world, { mark: { b: 2, a: 1 }, usd: 4.02 }, failIfAsked)).toMatchObject({
        status: "done",
      });
    });

    test("starts the new request once the earlier one can no longer land", async () => {
      const builtRequests: object[] = [];
      const loggedSpec = {
        ...SPEC,
        build: async (_: unknown, request: object): Promise<Build> => {
          builtRequests.push(request);
          return { ready: true, reason: null };
        },
      };
      const world = createWorld(lost, [422, "transaction_expired"]);
      await drive(loggedSpec, world, first, approve);
      const notes: (string | null)[] = [];
      const confirm = (_build: Build, note: string | null) => notes.push(note) > 0;
      expect(await drive(loggedSpec, world, second, confirm)).toMatchObject({ status: "done" });
      expect([notes, builtRequests.at(-1)]).toEqual([[null], second]);
    });

    test("does not start the rest of an earlier request that landed in part", async () => {
      const world = createWorld(lost);
      await drive(TWO_STEP_SPEC, world, first, approve);
      expect(await drive(TWO_STEP_SPEC, world, second, failIfAsked)).toMatchObject({
        status: "earlier",
        request: { usd: 4.02 },
        outcome: "in_part",
        transactions: [{ txSignature: "sig" }],
      });
    });

    test("does not sign the new request if the earlier one starts during the confirmation", async () => {
      const world = createWorld(lost);
      const confirmAfterEarlier = (_build: Build) => drive(SPEC, world, first, approve).then(() => true);
      expect(await drive(SPEC, world, second, confirmAfterEarlier)).toMatchObject({
        status: "earlier",
        outcome: "landed",
      });
      expect(world.posts).toBe(2);
    });
  });

  test("does not continue a request that another program has ended", async () => {
    const world = createWorld();
    const deleteRecord = async () => {
      if (world.posts > 0) await world.storage.set(getRecordKey("test", wallet), null);
      return true;
    };
    expect(await drive(TWO_STEP_SPEC, world, {}, deleteRecord)).toMatchObject({
      status: "elsewhere",
      error: { message: expect.stringContaining("Another program") },
      transactions: [{ label: "one", txSignature: "sig" }],
    });
    expect(world.posts).toBe(1);
  });

  test.each([
    ["lands", null],
    ["expires", [422, "transaction_expired"] as [number, string]],
  ])("lists the landed transactions if another request starts meanwhile and %s", async (_what, failure) => {
    const world = createWorld(null, [500, "internal"], failure);
    let confirmationCount = 0;
    const startAnother = async () => {
      if (++confirmationCount === 2)
        expect(await drive(SPEC, world, { usd: 4.02 }, approve)).toMatchObject({ status: "unknown" });
      return true;
    };
    expect(await drive(TWO_STEP_SPEC, world, { usd: 27.63 }, startAnother)).toMatchObject({
      status: "elsewhere",
      transactions: [{ label: "one", txSignature: "sig" }],
    });
    expect([confirmationCount, world.posts]).toEqual([2, 3]);
  });

  test("keeps the record of a request while another one replaces it", async () => {
    const lost: [number, string] = [500, "internal"];
    const world = createWorld(lost, null, lost);
    const flow = createFlow(SPEC, () => world);
    await flow.start({ usd: 27.63 });
    await flow.confirm();
    expect(flow.getState()).toMatchObject({ phase: "unknown", earlier: null });
    expect(await drive(SPEC, world, { usd: 4.02 }, approve)).toMatchObject({ status: "earlier", outcome: "landed" });
    expect(await drive(SPEC, world, { usd: 4.02 }, approve)).toMatchObject({ status: "unknown" });
    await flow.checkAgain();
    expect(flow.getState()).toMatchObject({
      phase: "done",
      record: { request: { usd: 4.02 } },
      earlier: { request: { usd: 27.63 }, inFlight: { label: "one" } },
    });
  });

  test("fails while another program is sending", async () => {
    const world = { ...createWorld(), lock: async () => false };
    expect(await drive(SPEC, world, {}, approve)).toMatchObject({ status: "failed" });
  });
});
