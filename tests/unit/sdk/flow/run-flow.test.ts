import { describe, expect, test } from "vitest";
import { ApiError } from "@/lib/sdk/calls/api-error";
import { createCalls } from "@/lib/sdk/calls/calls";
import { createFlow } from "@/lib/sdk/flow/engine";
import { getRecordKey } from "@/lib/sdk/flow/record";
import { type Confirm, runFlow } from "@/lib/sdk/flow/run-flow";
import type { BuildResult, FlowContext, FlowSpec } from "@/lib/sdk/flow/types";
import { createMemoryStorage, createProcessLock } from "@/lib/sdk/platform";
import { signWithKey } from "@/lib/sdk/sign/transactions";
import { buildSystemTransfer } from "@/lib/solana/system-instructions";
import { createOpenPriceGuard } from "../../../support/fakes/open-price-guard";
import { composeBase64 } from "../../../support/fixtures/test-transactions";
import { toTestWallet } from "../../../support/fixtures/test-wallets";

const { address: wallet, keys } = toTestWallet("payer");
const transaction = composeBase64(wallet, [buildSystemTransfer(wallet, wallet, 1n)]);
const STEP = { label: "one", transaction, validForMs: 30_000, about: "one" };
const READY: BuildResult = { ready: true, reason: null };
const createSpec = (build = READY): FlowSpec<object, BuildResult, string> => ({
  name: "test",
  wallet,
  build: async () => ({ ...build }),
  listSteps: () => [STEP],
  verify: async (build) => build,
  getRemainingRequest: (request, done) => (done.length > 0 ? null : request),
});

type Failure = [status: number, code: string];
const LOST_OUTCOME: Failure = [500, "internal"];
const EXPIRY: Failure = [422, "transaction_expired"];

/** Creates a context whose service gives these failures in turn. For null, and after the list, a transaction lands. */
function createContext(...failures: (Failure | null)[]): FlowContext<string> & { posts: number } {
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
    storage: createMemoryStorage(),
    lock: createProcessLock(),
    prices: createOpenPriceGuard(),
    openSigner: async () => async (transaction: string) => signWithKey(transaction, keys),
  });
}

/** The only transaction of SPEC, after it has landed. */
const TRANSACTIONS = [{ label: "one", about: "one", txSignature: "sig" }];
const confirmAlways = () => true;
const failOnConfirm = () => expect.fail("The user was asked.");
const SPEC = createSpec();
const runPayment = (context: FlowContext<string>, request = {}, confirm: Confirm<BuildResult> = confirmAlways) =>
  runFlow(SPEC, context, request, confirm);
/** A payment that needs two transactions. */
const TWO_STEP_SPEC: typeof SPEC = {
  ...SPEC,
  getRemainingRequest: (request, done) => (done.length > 1 ? null : request),
};

describe("runFlow", () => {
  test.each([
    ["a build that is not ready", { ready: false, reason: "Below the threshold." }, "Below the threshold."],
    ["a blocked build", { ready: true, reason: null, blocked: "Too little SOL." }, "Too little SOL."],
  ])("refuses %s with the reason, without a confirmation", async (_caseName, build, reason) => {
    const result = await runFlow(createSpec(build), createContext(), {}, failOnConfirm);
    expect(result).toMatchObject({ status: "refused", reason });
  });

  test("asks for a new confirmation after an expired transaction is rebuilt", async () => {
    const notes: (string | null)[] = [];
    const confirm = (_build: unknown, note: string | null) => notes.push(note) > 0;
    expect(await runPayment(createContext(EXPIRY), {}, confirm)).toMatchObject({ status: "done" });
    expect(notes).toEqual([null, expect.stringContaining("We refreshed the amounts")]);
  });

  test.each([
    ["is not confirmed", READY, "cancelled"],
    ["cannot be built", { ready: false, reason: "Below the threshold." }, "refused"],
  ])("lists the landed transactions if the remaining ones %s", async (_caseName, restBuild, status) => {
    const builds = [READY, restBuild];
    const spec = { ...TWO_STEP_SPEC, build: async () => ({ ...builds.shift()! }) };
    const result = await runFlow(spec, createContext(), {}, (_, note) => note === null);
    expect(result).toMatchObject({ status, transactions: TRANSACTIONS });
  });

  test("continues a repeated request with the rest, without paying the landed part again", async () => {
    const context = createContext(null, [422, "simulation_failed"]);
    const failure = await runFlow(TWO_STEP_SPEC, context, { usd: 4.02, plan: undefined }, confirmAlways);
    expect(failure).toMatchObject({ status: "failed" });
    const confirmations: unknown[] = [];
    const confirm = (_build: unknown, note: string | null, landed: unknown[]) => confirmations.push(note, landed) > 0;
    const result = await runFlow(TWO_STEP_SPEC, context, { usd: 4.02 }, confirm);
    expect(result).toMatchObject({ status: "done", transactions: [...TRANSACTIONS, ...TRANSACTIONS] });
    expect(confirmations).toEqual([null, TRANSACTIONS]);
    expect(context.posts).toBe(3);
    const laterResult = await runFlow(TWO_STEP_SPEC, context, { usd: 4.02 }, () => false);
    expect(laterResult).toEqual({ status: "cancelled", transactions: [] });
  });

  test("reports payments that another device has saved, even after a lost answer", async () => {
    const elsewhereResult = { status: "elsewhere", error: { code: "already_saved" }, transactions: [] };
    expect(await runPayment(createContext([409, "already_saved"]))).toMatchObject(elsewhereResult);
    const context = createContext(LOST_OUTCOME, [409, "already_saved"]);
    expect(await runPayment(context)).toMatchObject({ status: "unknown" });
    const build = () => Promise.reject(new ApiError("already_saved", "No.", { status: 409 }));
    expect(await runFlow({ ...SPEC, build }, context, {}, confirmAlways)).toMatchObject(elsewhereResult);
    expect(await runFlow({ ...SPEC, build }, context, {}, confirmAlways)).toMatchObject(elsewhereResult);
    expect(context.posts).toBe(2);
    expect(await runPayment(context)).toMatchObject({ status: "done" });
  });

  describe("with a new request while an earlier outcome is unknown", () => {
    const [earlierRequest, newRequest] = [{ usd: 4.02, plan: undefined }, { usd: 27.63 }];

    test("reports the outcome of the earlier request instead of starting the new one", async () => {
      const context = createContext(LOST_OUTCOME, LOST_OUTCOME);
      expect(await runPayment(context, earlierRequest)).toMatchObject({ status: "unknown" });
      const earlierResult = { status: "earlier", request: { usd: 4.02 } };
      const unknownResult = { ...earlierResult, outcome: "unknown" };
      expect(await runPayment(context, newRequest, failOnConfirm)).toMatchObject(unknownResult);
      const landedResult = { ...earlierResult, outcome: "landed", transactions: TRANSACTIONS };
      expect(await runPayment(context, newRequest, failOnConfirm)).toMatchObject(landedResult);
      expect(context.posts).toBe(3);
      expect(await runPayment(context, newRequest)).toMatchObject({ status: "done" });
      expect(context.posts).toBe(4);
    });

    test("treats a request whose members have another order as the same request", async () => {
      const context = createContext(LOST_OUTCOME);
      await runPayment(context, { usd: 4.02, plan: undefined, mark: { a: 1, b: 2 } });
      const reordered = { mark: { b: 2, a: 1 }, usd: 4.02 };
      expect(await runPayment(context, reordered, failOnConfirm)).toMatchObject({ status: "done" });
    });

    test("starts the new request once the earlier one can no longer land", async () => {
      const builtRequests: object[] = [];
      const build = async (_: unknown, request: object) => {
        builtRequests.push(request);
        return { ...READY };
      };
      const loggedSpec = { ...SPEC, build };
      const context = createContext(LOST_OUTCOME, EXPIRY);
      await runFlow(loggedSpec, context, earlierRequest, confirmAlways);
      const notes: (string | null)[] = [];
      const confirm = (_build: unknown, note: string | null) => notes.push(note) > 0;
      expect(await runFlow(loggedSpec, context, newRequest, confirm)).toMatchObject({ status: "done" });
      expect([notes, builtRequests.at(-1)]).toEqual([[null], newRequest]);
    });

    test("does not start the rest of an earlier request that landed in part", async () => {
      const context = createContext(LOST_OUTCOME);
      await runFlow(TWO_STEP_SPEC, context, earlierRequest, confirmAlways);
      const result = await runFlow(TWO_STEP_SPEC, context, newRequest, failOnConfirm);
      const earlierResult = { status: "earlier", request: { usd: 4.02 } };
      expect(result).toMatchObject({ ...earlierResult, outcome: "in_part", transactions: TRANSACTIONS });
    });

    test("does not sign the new request if the earlier one starts during the confirmation", async () => {
      const context = createContext(LOST_OUTCOME);
      const confirmAfterEarlier = () => runPayment(context, earlierRequest).then(() => true);
      const result = await runPayment(context, newRequest, confirmAfterEarlier);
      expect(result).toMatchObject({ status: "earlier", outcome: "landed" });
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
      transactions: TRANSACTIONS,
    });
    expect(context.posts).toBe(1);
  });

  test.each([
    ["lands", null],
    ["expires", EXPIRY],
  ])(
    "lists the landed transactions if another program starts a request that %s meanwhile",
    async (_caseName, failure) => {
      const context = createContext(null, LOST_OUTCOME, failure);
      let confirmationCount = 0;
      const startOtherRequest = async () => {
        if (++confirmationCount === 2)
          expect(await runPayment(context, { usd: 4.02 })).toMatchObject({ status: "unknown" });
        return true;
      };
      const result = await runFlow(TWO_STEP_SPEC, context, { usd: 27.63 }, startOtherRequest);
      expect(result).toMatchObject({ status: "elsewhere", transactions: TRANSACTIONS });
      expect([confirmationCount, context.posts]).toEqual([2, 3]);
    },
  );

  test("keeps the record of a request that a different request replaced in storage", async () => {
    const context = createContext(LOST_OUTCOME, null, LOST_OUTCOME);
    const flow = createFlow(SPEC, () => context);
    await flow.start({ usd: 27.63 });
    await flow.confirm();
    expect(flow.getState()).toMatchObject({ phase: "unknown", ownRecord: null });
    expect(await runPayment(context, { usd: 4.02 })).toMatchObject({ status: "earlier", outcome: "landed" });
    expect(await runPayment(context, { usd: 4.02 })).toMatchObject({ status: "unknown" });
    await flow.checkAgain();
    expect(flow.getState()).toMatchObject({
      phase: "done",
      record: { request: { usd: 4.02 } },
      ownRecord: { request: { usd: 27.63 }, inFlight: { label: "one" } },
    });
  });

  test.each([
    ["an object", { code: 4001, message: "Declined." }, "Declined."],
    ["a text", "Declined.", "Declined."],
    ["null", null, "null"],
    ["undefined", undefined, "undefined"],
  ])("fails with an Error if the wallet throws %s for a later step", async (_caseName, thrown, message) => {
    const signatures = [signWithKey(STEP.transaction, keys)];
    const signOnce = async () => signatures.shift() ?? Promise.reject(thrown);
    const spec = { ...SPEC, listSteps: () => [STEP, STEP] };
    const context = { ...createContext(), openSigner: async () => signOnce };
    const result = await runFlow(spec, context, {}, confirmAlways);
    expect(result).toMatchObject({ status: "failed", error: { message }, transactions: TRANSACTIONS });
    expect(result).toHaveProperty("error", expect.any(Error));
  });
});
