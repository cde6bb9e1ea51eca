import bs58 from "bs58";
import nacl from "tweetnacl";
import { describe, expect, test } from "vitest";
import { ApiError } from "@/lib/sdk/calls/api-error";
import { createCalls } from "@/lib/sdk/calls/calls";
import { runFlow } from "@/lib/sdk/flow/drive";
import { createFlow } from "@/lib/sdk/flow/engine";
import { getRecordKey } from "@/lib/sdk/flow/record";
import type { FlowContext, FlowSpec } from "@/lib/sdk/flow/types";
import { signWithKey } from "@/lib/sdk/sign/transactions";
import { memoryStorage, processLock } from "@/lib/sdk/world";
import { toBase64 } from "@/lib/solana/bytes";
import { buildSystemTransfer } from "@/lib/solana/system-instructions";
import { composeTransaction } from "@/lib/solana/transactions";
import { createOpenPriceGuard } from "../../../support/fakes/price-guard";

const keys = nacl.sign.keyPair();
const wallet = bs58.encode(keys.publicKey);
const { bytes } = composeTransaction({
  payer: wallet,
  instructions: [buildSystemTransfer(wallet, wallet, 1n)],
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
  getRemainingRequest: (request, done) => (done.length > 0 ? null : request),
});

/** Creates a context whose service gives these failures in turn. Null, and the end of the list, mean that it lands. */
function createContext(
  ...failures: ([status: number, code: string] | null)[]
): FlowContext<string> & { posts: number } {
  const clock = { now: () => 0, sleep: async () => {} };
  const context = { posts: 0 };
  const fetch = async () => {
    context.posts += 1;
    const failure = failures.shift();
    if (failure) return Response.json({ ok: false, error: "No.", code: failure[1] }, { status: failure[0] });
    const data = { confirmed: true, status: "confirmed", slot: 1, network: "sandbox", txSignature: "sig" };
    return Response.json({ ok: true, data });
  };
  return Object.assign(context, {
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
const TWO_STEP_SPEC: typeof SPEC = {
  ...SPEC,
  getRemainingRequest: (request, done) => (done.length > 1 ? null : request),
};

describe("runFlow", () => {
  test("completes a confirmed payment", async () => {
    const transactions = [{ label: "one", about: "one", txSignature: "sig" }];
    expect(await runFlow(SPEC, createContext(), {}, approve)).toEqual({ status: "done", transactions });
  });

  test("signs nothing without a confirmation", async () => {
    const context = createContext();
    expect(await runFlow(SPEC, context, {}, () => false)).toEqual({ status: "cancelled", transactions: [] });
    expect(context.posts).toBe(0);
  });

  test.each([
    ["a build that is not ready", { ready: false, reason: "Below the threshold." }, "Below the threshold."],
    ["a blocked build", { ready: true, reason: null, blocked: "Too little SOL." }, "Too little SOL."],
  ])("refuses %s with the reason, without a confirmation", async (_what, build, reason) => {
    expect(await runFlow(createSpec(build), createContext(), {}, failIfAsked)).toMatchObject({
      status: "refused",
      reason,
    });
  });

  test("asks for a new confirmation after an expired transaction is rebuilt", async () => {
    const notes: (string | null)[] = [];
    const confirm = (_build: Build, note: string | null) => notes.push(note) > 0;
    expect(await runFlow(SPEC, createContext([422, "transaction_expired"]), {}, confirm)).toMatchObject({
      status: "done",
    });
    expect(notes).toEqual([null, expect.stringContaining("We refreshed the amounts")]);
  });

  test.each([
    ["is not confirmed", { ready: true, reason: null }, "cancelled"],
    ["cannot be built", { ready: false, reason: "Below the threshold." }, "refused"],
  ])("lists the landed transactions if the rest %s", async (_what, restBuild, status) => {
    const builds = [{ ready: true, reason: null }, restBuild];
    const result = await runFlow(
      { ...TWO_STEP_SPEC, build: async () => ({ ...builds.shift()! }) },
      createContext(),
      {},
      (_, note) => note === null,
    );
    expect(result).toMatchObject({ status, transactions: [{ label: "one", txSignature: "sig" }] });
  });

  test("continues a repeated request with the rest, without paying the landed part again", async () => {
    const context = createContext(null, [422, "simulation_failed"]);
    expect(await runFlow(TWO_STEP_SPEC, context, { usd: 4.02, plan: undefined }, approve)).toMatchObject({
      status: "failed",
    });
    const confirmations: unknown[] = [];
    const confirm = (_build: Build, note: string | null, landed: unknown[]) => confirmations.push(note, landed) > 0;
    const transactions = [{ txSignature: "sig" }, { txSignature: "sig" }];
    expect(await runFlow(TWO_STEP_SPEC, context, { usd: 4.02 }, confirm)).toMatchObject({
      status: "done",
      transactions,
    });
    expect(confirmations).toMatchObject([null, [{ label: "one", txSignature: "sig" }]]);
    expect(context.posts).toBe(3);
    expect(await runFlow(TWO_STEP_SPEC, context, { usd: 4.02 }, () => false)).toEqual({
      status: "cancelled",
      transactions: [],
    });
  });

  test("reports payments that another device has saved, even after a lost answer", async () => {
    const elsewhere = { status: "elsewhere", error: { code: "already_saved" }, transactions: [] };
    expect(await runFlow(SPEC, createContext([409, "already_saved"]), {}, approve)).toMatchObject(elsewhere);
    const context = createContext([500, "internal"], [409, "already_saved"]);
    expect(await runFlow(SPEC, context, {}, approve)).toMatchObject({ status: "unknown" });
    const build = () => Promise.reject(new ApiError("already_saved", "No.", { status: 409 }));
    expect(await runFlow({ ...SPEC, build }, context, {}, approve)).toMatchObject(elsewhere);
    expect(await runFlow({ ...SPEC, build }, context, {}, approve)).toMatchObject(elsewhere);
    expect(context.posts).toBe(2);
    expect(await runFlow(SPEC, context, {}, approve)).toMatchObject({ status: "done" });
  });

  test("resolves an unknown outcome in the next call before it builds", async () => {
    const context = createContext([500, "internal"]);
    expect(await runFlow(SPEC, context, {}, approve)).toMatchObject({ status: "unknown" });
    expect(await runFlow(SPEC, context, {}, failIfAsked)).toMatchObject({ status: "done" });
  });

  describe("with a new request while an earlier outcome is unknown", () => {
    const lostOutcome: [number, string] = [500, "internal"];
    const [earlierRequest, newRequest] = [{ usd: 4.02, plan: undefined }, { usd: 27.63 }];

    test("reports the outcome of the earlier request instead of starting the new one", async () => {
      const context = createContext(lostOutcome, lostOutcome);
      expect(await runFlow(SPEC, context, earlierRequest, approve)).toMatchObject({ status: "unknown" });
      const earlierResult = { status: "earlier", request: { usd: 4.02 } };
      expect(await runFlow(SPEC, context, newRequest, failIfAsked)).toMatchObject({
        ...earlierResult,
        outcome: "unknown",
      });
      const transactions = [{ label: "one", about: "one", txSignature: "sig" }];
      expect(await runFlow(SPEC, context, newRequest, failIfAsked)).toMatchObject({
        ...earlierResult,
        outcome: "landed",
        transactions,
      });
      expect(context.posts).toBe(3);
      expect(await runFlow(SPEC, context, newRequest, approve)).toMatchObject({ status: "done" });
      expect(context.posts).toBe(4);
    });

    test("treats a request whose members have another order as the same request", async () => {
      const context = createContext(lostOutcome);
      await runFlow(SPEC, context, { usd: 4.02, plan: undefined, mark: { a: 1, b: 2 } }, approve);
      expect(await runFlow(SPEC, context, { mark: { b: 2, a: 1 }, usd: 4.02 }, failIfAsked)).toMatchObject({
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
      const context = createContext(lostOutcome, [422, "transaction_expired"]);
      await runFlow(loggedSpec, context, earlierRequest, approve);
      const notes: (string | null)[] = [];
      const confirm = (_build: Build, note: string | null) => notes.push(note) > 0;
      expect(await runFlow(loggedSpec, context, newRequest, confirm)).toMatchObject({ status: "done" });
      expect([notes, builtRequests.at(-1)]).toEqual([[null], newRequest]);
    });

    test("does not start the rest of an earlier request that landed in part", async () => {
      const context = createContext(lostOutcome);
      await runFlow(TWO_STEP_SPEC, context, earlierRequest, approve);
      expect(await runFlow(TWO_STEP_SPEC, context, newRequest, failIfAsked)).toMatchObject({
        status: "earlier",
        request: { usd: 4.02 },
        outcome: "in_part",
        transactions: [{ txSignature: "sig" }],
      });
    });

    test("does not sign the new request if the earlier one starts during the confirmation", async () => {
      const context = createContext(lostOutcome);
      const confirmAfterEarlier = (_build: Build) => runFlow(SPEC, context, earlierRequest, approve).then(() => true);
      expect(await runFlow(SPEC, context, newRequest, confirmAfterEarlier)).toMatchObject({
        status: "earlier",
        outcome: "landed",
      });
      expect(context.posts).toBe(2);
    });
  });

  test("does not continue a request that another program has ended", async () => {
    const context = createContext();
    const deleteStoredRecord = async () => {
      if (context.posts > 0) await context.storage.set(getRecordKey("test", wallet), null);
      return true;
    };
    expect(await runFlow(TWO_STEP_SPEC, context, {}, deleteStoredRecord)).toMatchObject({
      status: "elsewhere",
      error: { message: expect.stringContaining("Another program") },
      transactions: [{ label: "one", txSignature: "sig" }],
    });
    expect(context.posts).toBe(1);
  });

  test.each([
    ["lands", null],
    ["expires", [422, "transaction_expired"] as [number, string]],
  ])("lists the landed transactions if another program starts a request that %s meanwhile", async (_what, failure) => {
    const context = createContext(null, [500, "internal"], failure);
    let confirmationCount = 0;
    const startOtherRequest = async () => {
      if (++confirmationCount === 2)
        expect(await runFlow(SPEC, context, { usd: 4.02 }, approve)).toMatchObject({ status: "unknown" });
      return true;
    };
    expect(await runFlow(TWO_STEP_SPEC, context, { usd: 27.63 }, startOtherRequest)).toMatchObject({
      status: "elsewhere",
      transactions: [{ label: "one", txSignature: "sig" }],
    });
    expect([confirmationCount, context.posts]).toEqual([2, 3]);
  });

  test("keeps the record of a request that a different request replaced in storage", async () => {
    const lostOutcome: [number, string] = [500, "internal"];
    const context = createContext(lostOutcome, null, lostOutcome);
    const flow = createFlow(SPEC, () => context);
    await flow.start({ usd: 27.63 });
    await flow.confirm();
    expect(flow.getState()).toMatchObject({ phase: "unknown", ownRecord: null });
    expect(await runFlow(SPEC, context, { usd: 4.02 }, approve)).toMatchObject({
      status: "earlier",
      outcome: "landed",
    });
    expect(await runFlow(SPEC, context, { usd: 4.02 }, approve)).toMatchObject({ status: "unknown" });
    await flow.checkAgain();
    expect(flow.getState()).toMatchObject({
      phase: "done",
      record: { request: { usd: 4.02 } },
      ownRecord: { request: { usd: 27.63 }, inFlight: { label: "one" } },
    });
  });

  test("fails while another program is sending", async () => {
    const context = { ...createContext(), lock: async () => false };
    expect(await runFlow(SPEC, context, {}, approve)).toMatchObject({ status: "failed" });
  });
});
