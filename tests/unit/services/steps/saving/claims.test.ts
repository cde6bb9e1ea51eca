import { beforeEach, describe, expect, test, vi } from "vitest";
import { buildWrapBatchContract } from "../../../../../lib/contracts/build-wrap-batch";
import { createThroughMark, formatMark, type Mark, NOTHING_SAVED } from "../../../../../lib/domain/marks";
import { DAY_MS } from "../../../../../lib/domain/time";
import type { SignatureState } from "../../../../../lib/ports/solana-rpc";
import { buildWrapBatch } from "../../../../../lib/services/build-wrap-batch";
import { readClaim, replaceClaim, toClaimKey } from "../../../../../lib/services/records/claim-records";
import { toRecordKey } from "../../../../../lib/services/records/landings";
import { recordHeight } from "../../../../../lib/services/records/message-records";
import { buildMemo } from "../../../../../lib/solana/memo";
import { buildSystemTransfer } from "../../../../../lib/solana/system-instructions";
import { parseInput } from "../../../../support/client/contract-input";
import {
  createBlockhash,
  createConfirmedState,
  createFakeDeps,
  createOutage,
  createSimulation,
  createSolAccount,
  type FakeDeps,
  FEE_COLLECTORS,
  listSends,
  runFor,
  setPrices,
  stageOutage,
} from "../../../../support/fakes/fake-deps";
import {
  buildPayment,
  buildTransaction,
  deriveServiceWallet,
  isSendDecision,
  postSigned,
  readSignature,
  signBuild,
  startPosting,
  stranger,
  user,
} from "../../../../support/worlds/relay-rig";
import { BLANK_FIGURES } from "../../../../support/worlds/spending-world";

const ALREADY_SAVED = { code: "already_saved" };
const REFUSED = { code: "simulation_failed" };
/** The state of a transaction whose block may still be dropped. */
const PROCESSED = { slot: 1, error: null, confirmation: "processed" } as const;

let deps: FakeDeps;
let serviceWallet: string;
/** The signature states that the chain reports. */
let states: Map<string, SignatureState>;
/** Whether sent transactions land at once. */
let isLanding: boolean;
let nextBlockhashByte: number;

const toPaymentSignature = (i: number) => "1".repeat(62) + String.fromCharCode(65 + i).repeat(2);

/** Puts payment `i` of the user on the chain in slot `i`. Returns its signature. */
function addPayment(i: number, signers = [user.address]): string {
  states.set(toPaymentSignature(i), createConfirmedState(i));
  deps.chain.transactions.set(toPaymentSignature(i), { ...BLANK_FIGURES, signers });
  return toPaymentSignature(i);
}

/** Stages nine payments of the user, and nodes on which sent transactions land. */
async function stageClaims(): Promise<void> {
  deps = createFakeDeps();
  serviceWallet = await deriveServiceWallet(deps);
  deps.chain.accounts.set(user.address, createSolAccount(1_000_000_000n));
  deps.chain.accounts.set(serviceWallet, createSolAccount(1_000_000_000n));
  [states, isLanding, nextBlockhashByte] = [new Map(), true, 1];
  deps.chain.getStatus = (signature) => states.get(signature) ?? null;
  // Each build uses a different blockhash.
  deps.chain.getLatestBlockhash = () => ({
    blockhash: createBlockhash(nextBlockhashByte++),
    lastValidBlockHeight: deps.chain.getBlockHeight() + 150,
  });
  deps.beforeCall = landSends;
  for (let i = 0; i < 9; i++) addPayment(i);
}
beforeEach(stageClaims);

function landSends({ method, args }: { method: string; args: readonly unknown[] }): void {
  if (method === "send" && isLanding) states.set(readSignature(args[0] as Uint8Array), createConfirmedState(500));
}

/** Builds a saving up to payment `i`, after what is saved by then. */
async function buildSaving(i: number, txValuesUsd = [27.63]) {
  setPrices(deps);
  const wallets = { userPubkey: user.address, serviceWalletPubkey: serviceWallet };
  const after = (await readUserClaim(THROUGH_MARK))?.saved?.value ?? NOTHING_SAVED;
  const input = parseInput(buildWrapBatchContract, { txValuesUsd, through: toPaymentSignature(i), after, ...wallets });
  return buildWrapBatch(deps, input, { caller: { kind: "wallet", wallet: user.address } });
}

/** Builds and signs a saving up to payment `i`. */
const createSaving = async (...args: Parameters<typeof buildSaving>) => signBuild(await buildSaving(...args));

/** Creates the instructions of a saving with this memo, for an app's own transaction. */
const createSavingInstructions = (memoText: string, lamports = 1_000_000n) => [
  buildSystemTransfer(user.address, serviceWallet, lamports),
  buildSystemTransfer(user.address, FEE_COLLECTORS[0]!, 100_000n),
  buildMemo(memoText, user.address),
];

const THROUGH_MARK = createThroughMark("", NOTHING_SAVED);
/** Returns the memo of a saving up to payment `i`, with nothing saved before. */
const formatThroughMemo = (i: number) => formatMark(createThroughMark(toPaymentSignature(i), NOTHING_SAVED));
const TOPUP_MARK: Mark & { value: string } = { kind: "topup", value: "2026-W47" };
const TOPUP = { wallet: user.address, mark: TOPUP_MARK };
/** Creates a top-up in an app's own transaction. Each amount gives a different message. */
const createTopup = (lamports?: bigint, period = TOPUP_MARK.value) =>
  buildTransaction(createSavingInstructions(`roundup:1:topup:${period}`, lamports));

const readUserClaim = (mark: Mark = TOPUP_MARK) => readClaim(deps, { wallet: user.address, mark });

/** Lists the signatures of the pending transactions. */
const listPending = async () => [...(await deps.kv.listMembers("pending")).keys()];

/** Advances the chain far past the expiry of every blockhash. */
function advancePastExpiry(): void {
  const height = deps.chain.getBlockHeight() + 1_000;
  deps.chain.getBlockHeight = () => height;
}

describe("payments", () => {
  test("stay claimed by a transaction of unknown expiry only until it can no longer land", async () => {
    isLanding = false;
    const endOutage = stageOutage(deps, ({ method }) => method === "readHead");
    await postSigned(deps, buildTransaction(createSavingInstructions(formatThroughMemo(3))));
    endOutage();
    await deps.clock.advance(10 * 60_000);
    await expect(postSigned(deps, await createSaving(3))).rejects.toMatchObject(ALREADY_SAVED);
    advancePastExpiry();
    deps.chain.isBlockhashValid = () => false;
    isLanding = true;
    expect(await postSigned(deps, await createSaving(3))).toMatchObject({ confirmed: true });
  });

  test("cannot be claimed by a transaction that their wallet has not signed", async () => {
    const { simulate } = deps.chain;
    deps.chain.simulate = createSimulation("BlockhashNotFound");
    isLanding = false;
    for (const memoText of [formatThroughMemo(3), "roundup:1:topup:2026-W47"]) {
      // A blockhash that the service handed out: on another blockhash, no message takes a claim.
      const { transaction } = await buildSaving(3);
      const unsignedSaving = createSavingInstructions(memoText).map(({ accounts, ...fields }) => {
        return { ...fields, accounts: accounts.map((account) => ({ ...account, isSigner: false })) };
      });
      const bytes = buildTransaction(unsignedSaving, [stranger], transaction!.blockhash);
      expect(await postSigned(deps, bytes)).toMatchObject({ confirmed: false });
    }
    deps.chain.simulate = simulate;
    isLanding = true;
    expect(await postSigned(deps, await createSaving(3))).toMatchObject({ confirmed: true });
    expect(await postSigned(deps, createTopup())).toMatchObject({ confirmed: true });
  });

  test("cannot be claimed on an unknown blockhash until a node knows that blockhash", async () => {
    const { simulate } = deps.chain;
    deps.chain.simulate = createSimulation("BlockhashNotFound");
    const ownTransaction = createTopup();
    expect(await postSigned(deps, ownTransaction)).toMatchObject({ confirmed: false });
    expect([listSends(deps), await readUserClaim()]).toEqual([[], null]);
    const endOutage = stageOutage(deps, ({ method }) => method === "readHead");
    const instructions = createSavingInstructions("roundup:1:topup:2026-W47");
    const otherTopup = buildTransaction(instructions, [user], createBlockhash(3));
    expect(await postSigned(deps, otherTopup)).toMatchObject({ confirmed: false });
    endOutage();
    deps.chain.simulate = simulate;
    expect(await postSigned(deps, ownTransaction)).toMatchObject({ confirmed: true });
    expect(await readUserClaim()).toMatchObject({ held: null, saved: {} });
  });

  test("leave no claim in the store after their transaction has certainly expired", async () => {
    isLanding = false;
    const ownTransaction = createTopup();
    expect(await postSigned(deps, ownTransaction)).toMatchObject({ confirmed: false });
    expect(await readUserClaim()).toMatchObject({ held: {} });
    advancePastExpiry();
    deps.chain.isBlockhashValid = () => false;
    await expect(postSigned(deps, ownTransaction)).rejects.toMatchObject({ code: "transaction_expired" });
    expect(await readUserClaim()).toBeNull();
  });

  test("named by a mark must be confirmed transactions that the same wallet signed", async () => {
    addPayment(20, [stranger.address]);
    // The chain has no payment 21.
    for (const i of [20, 21]) {
      await expect(buildSaving(i)).rejects.toMatchObject({ code: "invalid_request" });
      const ownTransaction = buildTransaction(createSavingInstructions(formatThroughMemo(i)));
      const message = expect.stringContaining("names no confirmed transaction that the same wallet signed");
      await expect(postSigned(deps, ownTransaction)).rejects.toMatchObject({ code: "invalid_transaction", message });
    }
    expect(listSends(deps)).toEqual([]);
  });

  test("are not refused once their saving was sent, even if a node has lost the payment that its mark names", async () => {
    isLanding = false;
    const firstSaving = await createSaving(3);
    expect(await postSigned(deps, firstSaving)).toMatchObject({ confirmed: false });
    states.delete(toPaymentSignature(3));
    expect(await postSigned(deps, firstSaving)).toMatchObject({ confirmed: false });
  });

  test("are saved only by a single mark in the same transaction as a saving of the signing wallet", async () => {
    const markMemo = buildMemo(formatThroughMemo(5), user.address);
    const payment = buildSystemTransfer(user.address, stranger.address, 1_000_000n);
    expect(await postSigned(deps, buildTransaction([payment, markMemo]))).toMatchObject({ confirmed: true });
    expect(await postSigned(deps, await createSaving(3))).toMatchObject({ confirmed: true });
    const twoMarks = buildTransaction([markMemo, buildMemo("roundup:1:topup:2026-W47", user.address)]);
    const message = expect.stringContaining("one mark at most");
    await expect(postSigned(deps, twoMarks)).rejects.toMatchObject({ code: "invalid_transaction", message });
  });

  test("are not saved by a transfer into an unknown wallet, and the refusal names the call that registers it", async () => {
    const instructions = [
      buildSystemTransfer(user.address, stranger.address, 1_000_000n),
      ...createSavingInstructions(formatThroughMemo(3)).slice(1),
    ];
    const [bytes, message] = [buildTransaction(instructions), expect.stringContaining("POST /api/wallet/derive")];
    await expect(postSigned(deps, bytes)).rejects.toMatchObject({ code: "invalid_transaction", message });
    expect(listSends(deps)).toEqual([]);
  });

  test("may be saved by the same message again after the node and the store lost its outcome", async () => {
    const firstSaving = await createSaving(3);
    expect(await postSigned(deps, firstSaving)).toMatchObject({ confirmed: true });
    states.delete(readSignature(firstSaving));
    await deps.kv.delete(toRecordKey(readSignature(firstSaving)));
    expect(await postSigned(deps, firstSaving)).toMatchObject({ confirmed: true });
  });

  test("stay saved when a later message is refused and its claim is freed", async () => {
    await postSigned(deps, await createSaving(3));
    const nextSaving = await createSaving(4);
    const endOutage = stageOutage(deps, isSendDecision);
    await expect(postSigned(deps, nextSaving)).rejects.toMatchObject({ code: "upstream_unavailable" });
    expect(await readUserClaim(THROUGH_MARK)).toMatchObject({ held: { value: toPaymentSignature(4) } });
    endOutage();
    deps.chain.simulate = createSimulation("AccountNotFound");
    await expect(postSigned(deps, nextSaving)).rejects.toMatchObject({ code: "simulation_failed" });
    expect(await readUserClaim(THROUGH_MARK)).toMatchObject({ saved: { value: toPaymentSignature(3) }, held: null });
  });

  test("are refused after five tries if another process wins every write of the claim", async () => {
    const bytes = await createSaving(3);
    const replace = vi.spyOn(deps.kv, "replace").mockImplementation(async () => {
      // Stops a test that would otherwise retry without end.
      if (replace.mock.calls.length > 9) throw new Error("The claim is retried without end.");
      return false;
    });
    await expect(postSigned(deps, bytes)).rejects.toMatchObject(ALREADY_SAVED);
    expect(replace).toHaveBeenCalledTimes(5);
  });
});

describe("a claim whose process is gone", () => {
  const FAILED = createConfirmedState(501, { InstructionError: [0, { Custom: 1 }] });
  let firstSaving: Uint8Array;
  beforeEach(() => {
    firstSaving = createTopup(1_000_000n);
  });

  /** Lets the first message take the claim. No process follows the message afterwards. */
  async function abandonClaim(): Promise<void> {
    isLanding = false;
    deps.background.run = (_name, task) => task(() => false);
    expect(await runFor(26_000, deps, startPosting(deps, firstSaving))).toMatchObject({ confirmed: false });
    isLanding = true;
  }

  const postNext = (ms = 30_000) => runFor(ms, deps, startPosting(deps, createTopup(2_000_000n)));

  /**
   * Lets the first message land in this state: at once, or when the next post sends it. The store then fails at the first
   * write that ends the claim.
   */
  async function landFirst(state: SignatureState, isSentByNext: boolean): Promise<void> {
    if (!isSentByNext) return void states.set(readSignature(firstSaving), state);
    await deps.clock.advance(60_000);
    let failuresLeft = 1;
    deps.beforeCall = ({ method, args }) => {
      if (method === "send")
        states.set(readSignature(args[0] as Uint8Array), states.size > 9 ? createConfirmedState(502) : state);
      const isClaimEnd =
        method === "replace" && String(args[0]).startsWith("claim:") && states.has(readSignature(firstSaving));
      if (isClaimEnd && failuresLeft-- > 0) throw createOutage();
    };
  }

  test.each([
    ["at once", false],
    ["by the next post that sends it, although the store fails once", true],
  ])("is ended when its message has landed or failed on the chain, %s", async (_caseName, isSentByNext) => {
    const ms = isSentByNext ? 30_000 : 1_000;
    await abandonClaim();
    await landFirst(createConfirmedState(501), isSentByNext);
    await expect(postNext(ms)).rejects.toMatchObject(ALREADY_SAVED);
    expect(await readUserClaim()).toMatchObject({ held: null, saved: {} });
    await stageClaims();
    await abandonClaim();
    await landFirst(FAILED, isSentByNext);
    expect(await postNext(ms)).toMatchObject({ confirmed: true });
  });

  test("is not resolved by other messages for exactly a minute", async () => {
    await abandonClaim();
    const run = vi.spyOn(deps.background, "run");
    const { since } = (await readUserClaim())!.held!;
    const { now } = deps.clock;
    for (const ageMs of [0, 59_999]) {
      deps.clock.now = () => since + ageMs;
      await expect(postNext(0)).rejects.toMatchObject(ALREADY_SAVED);
      expect(run).not.toHaveBeenCalled();
    }
    deps.clock.now = () => since + 60_000;
    startPosting(deps, createTopup(2_000_000n)).catch(() => {});
    await deps.clock.advance(0);
    const taskNames = run.mock.calls.map(([name]) => name);
    expect(taskNames).toEqual([readSignature(firstSaving), `record ${readSignature(firstSaving)}`]);
    deps.clock.now = now;
  });
});

test("a claim is free again if its transaction could not be listed as pending", async () => {
  const saving = createTopup();
  const endOutage = stageOutage(deps, ({ method }) => method === "addMember");
  await expect(postSigned(deps, saving)).rejects.toMatchObject({ code: "upstream_unavailable" });
  expect(await readUserClaim()).toBeNull();
  endOutage();
  expect(await postSigned(deps, saving)).toMatchObject({ confirmed: true });
});

test.each<[string, () => Promise<Uint8Array>, object]>([
  ["of a saving: it holds its claim", () => createSaving(3), { hasClaim: true, isFollowedOnly: false }],
  [
    "of a saving on an unknown blockhash: it is never sent",
    async () => {
      deps.chain.simulate = createSimulation("BlockhashNotFound");
      return createTopup();
    },
    { hasClaim: false, isFollowedOnly: true },
  ],
  ["of a payment: it has no claim", async () => buildPayment(), { hasClaim: false, isFollowedOnly: false }],
])("the pending entry tells the process that takes over, %s", async (_caseName, create, record) => {
  isLanding = false;
  expect(await postSigned(deps, await create())).toMatchObject({ confirmed: false });
  expect([...(await deps.kv.listMembers("pending")).values()]).toMatchObject([record]);
});

test("a transaction is no longer pending if another process has taken the claim at the same time", async () => {
  let isTaken = false;
  deps.beforeCall = async ({ method, args }) => {
    if (method !== "replace" || args[0] !== toClaimKey(TOPUP) || isTaken) return;
    isTaken = true;
    const saved = { value: TOPUP_MARK.value, slot: 0, message: "another", txSignature: toPaymentSignature(1) };
    await replaceClaim(deps, TOPUP, null, { saved, held: null });
  };
  await expect(postSigned(deps, createTopup())).rejects.toMatchObject(ALREADY_SAVED);
  expect(await listPending()).toEqual([]);
});

test("the claim of a week expires a day after the week, and the claim of a period with another name stays", async () => {
  const periods = [TOPUP_MARK.value, "w1"];
  for (const period of periods)
    expect(await postSigned(deps, createTopup(1n, period))).toMatchObject({ confirmed: true });
  const readClaims = () => Promise.all(periods.map((value) => readUserClaim({ kind: "topup", value })));
  await deps.clock.advance(Date.parse("2026-11-30T00:00:00Z") - deps.clock.now());
  const message = expect.stringContaining("The period 2026-W47 is over");
  await expect(postSigned(deps, createTopup(2n))).rejects.toMatchObject({ code: "invalid_transaction", message });
  expect(await postSigned(deps, createTopup(1n))).toMatchObject({ confirmed: true });
  expect(await readClaims()).toEqual([expect.anything(), expect.anything()]);
  await deps.clock.advance(DAY_MS);
  expect(await readClaims()).toEqual([null, expect.anything()]);
  await expect(postSigned(deps, createTopup(3n))).rejects.toMatchObject({ code: "invalid_transaction" });
  await expect(postSigned(deps, createTopup(2n, "w1"))).rejects.toMatchObject(ALREADY_SAVED);
});

describe("with fewer replicas than the store waits for", () => {
  /**
   * Makes the store report that too few replicas have a write. The write itself happens. A conditional write that
   * changes nothing succeeds, because there is nothing to replicate. Returns a function that restores the replicas.
   */
  function loseReplicas(isLostWrite: (write: number) => boolean = () => true): () => void {
    let writeCount = 0;
    const wrapWrite =
      <A extends unknown[], R>(write: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        const result = await write(...args);
        if (result !== false && args.includes("replicated") && isLostWrite(writeCount++)) throw createOutage();
        return result;
      };
    const { kv } = deps;
    const { set, setIfAbsent, replace } = kv;
    deps.kv = { ...kv, set: wrapWrite(set), setIfAbsent: wrapWrite(setIfAbsent), replace: wrapWrite(replace) };
    return () => {
      deps.kv = kv;
    };
  }

  // A saving makes three writes: the claim, the decision to send, and the claim's mark as sent.
  test.each([0, 1, 2])(
    "503: a saving whose write %i is not replicated is not sent, and stays claimed and pending",
    async (lostWrite) => {
      const bytes = await createSaving(1);
      loseReplicas((write) => write === lostWrite);
      await expect(postSigned(deps, bytes)).rejects.toMatchObject({ code: "upstream_unavailable" });
      expect(listSends(deps)).toEqual([]);
      expect((await readUserClaim(THROUGH_MARK))?.held).toBeTruthy();
      expect(await listPending()).toEqual([readSignature(bytes)]);
      const otherSaving = await createSaving(1, [5.43]);
      await expect(postSigned(deps, otherSaving)).rejects.toMatchObject(ALREADY_SAVED);
      expect(await postSigned(deps, bytes)).toMatchObject({ confirmed: true });
    },
  );

  test("503: the same bytes are not sent however often they are posted", async () => {
    const bytes = await createSaving(1);
    const restoreReplicas = loseReplicas();
    for (let call = 0; call < 5; call++)
      await expect(postSigned(deps, bytes)).rejects.toMatchObject({ code: "upstream_unavailable" });
    expect(listSends(deps)).toEqual([]);
    restoreReplicas();
    expect(await postSigned(deps, bytes)).toMatchObject({ confirmed: true });
    expect(listSends(deps)).not.toEqual([]);
  });

  test.each([
    ["a saving", () => createSaving(1)],
    ["a payment without a mark", async () => buildPayment()],
  ])(
    "503: an unreplicated refusal of %s is not reported, even after a simulation of the transaction passes",
    async (_, createBytes) => {
      const bytes = await createBytes();
      const { simulate } = deps.chain;
      deps.chain.simulate = createSimulation("AccountNotFound");
      const restoreReplicas = loseReplicas();
      await expect(postSigned(deps, bytes)).rejects.toMatchObject({ code: "upstream_unavailable" });
      deps.chain.simulate = simulate;
      await expect(postSigned(deps, bytes)).rejects.toMatchObject({ code: "upstream_unavailable" });
      restoreReplicas();
      await expect(postSigned(deps, bytes)).rejects.toMatchObject({ code: "simulation_failed" });
      expect(listSends(deps)).toEqual([]);
    },
  );
});

/** Starts a call that takes the claim for these bytes and pauses before it records the decision to send them. */
async function startPausedCall(bytes: Uint8Array) {
  let release: (() => void) | null = null;
  deps.beforeCall = async (call) => {
    if (isSendDecision(call) && !release)
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    landSends(call);
  };
  const pausedCall = startPosting(deps, bytes).catch((error) => error);
  while (!release) await deps.clock.advance(1);
  expect(await readUserClaim()).toMatchObject({ held: { sent: false } });
  return { pausedCall, resume: release as () => void };
}

/** Posts bytes that the network refuses because the wallet is empty. */
async function postRefused(bytes: Uint8Array): Promise<void> {
  deps.chain.simulate = createSimulation("AccountNotFound");
  await expect(postSigned(deps, bytes)).rejects.toMatchObject(REFUSED);
  deps.chain.simulate = createSimulation();
}

const listSentSignatures = () => listSends(deps).map(({ bytes }) => readSignature(bytes));

describe("a refused message", () => {
  test("takes no claim when it is posted again", async () => {
    const refusedTopup = createTopup(1n);
    await postRefused(refusedTopup);
    await expect(postSigned(deps, refusedTopup)).rejects.toMatchObject(REFUSED);
    expect(await readUserClaim()).toBeNull();
    expect(await runFor(0, deps, postSigned(deps, createTopup(2n)))).toMatchObject({ confirmed: true });
    expect(listSentSignatures()).not.toContain(readSignature(refusedTopup));
  });

  test.each([
    ["when it continues", 0, REFUSED.code],
    ["even after a clock jump and a store that lost the refusal", DAY_MS, "upstream_unavailable"],
  ])(
    "frees the claim that another call took for it, and that call sends nothing %s",
    async (_caseName, laterMs, code) => {
      const refusedTopup = createTopup(1n);
      const { pausedCall, resume } = await startPausedCall(refusedTopup);
      await postRefused(refusedTopup);
      expect(await postSigned(deps, createTopup(2n))).toMatchObject({ confirmed: true });
      await deps.clock.advance(laterMs);
      resume();
      expect(await pausedCall).toMatchObject({ code });
      expect(listSentSignatures()).not.toContain(readSignature(refusedTopup));
    },
  );
});

describe("a claim is marked as sent before its message is sent", () => {
  /** Records whether the claim is marked as sent at the first send. */
  function recordSentMarks(): unknown[] {
    const sentMarks: unknown[] = [];
    deps.beforeCall = async (call) => {
      const isFirstSend = call.method === "send" && sentMarks.length === 0;
      landSends(call);
      if (isFirstSend) sentMarks.push((await readUserClaim())?.held?.sent);
    };
    return sentMarks;
  }

  test("by a second call with the same bytes", async () => {
    const bytes = createTopup(1n);
    await startPausedCall(bytes);
    const sentMarks = recordSentMarks();
    expect(await postSigned(deps, bytes)).toMatchObject({ confirmed: true });
    expect(sentMarks).toEqual([true]);
  });

  test("by a call with another message, which sends it for a call that died", async () => {
    await startPausedCall(createTopup(1n));
    await deps.clock.advance(61_000);
    const sentMarks = recordSentMarks();
    await expect(postSigned(deps, createTopup(2n))).rejects.toMatchObject(ALREADY_SAVED);
    expect(sentMarks).toEqual([true]);
  });
});

/** Expects the next message to be refused, because the earlier refusal must not free the claim. */
const expectClaimHeld = async () => {
  expect(await readUserClaim()).toMatchObject({ held: { sent: false } });
  await expect(postSigned(deps, createTopup(2n))).rejects.toMatchObject(ALREADY_SAVED);
};

describe("the claim of a refused message stays", () => {
  test("when the store's answer to the refusal is lost", async () => {
    const refusedTopup = createTopup(1n);
    await startPausedCall(refusedTopup);
    deps.chain.simulate = createSimulation("AccountNotFound");
    const { setIfAbsent } = deps.kv;
    const lostAnswers = vi.spyOn(deps.kv, "setIfAbsent").mockImplementation(async (...args) => {
      await setIfAbsent(...args);
      throw createOutage();
    });
    await expect(postSigned(deps, refusedTopup)).rejects.toMatchObject({ code: "upstream_unavailable" });
    lostAnswers.mockRestore();
    deps.chain.simulate = createSimulation();
    await expectClaimHeld();
    // A second refusal does not free the claim either.
    await expect(postSigned(deps, refusedTopup)).rejects.toMatchObject(REFUSED);
    await expectClaimHeld();
  });

  test("when the wallet broadcast the message directly and a node has seen it", async () => {
    const refusedTopup = createTopup(1n);
    await startPausedCall(refusedTopup);
    let lookupCount = 0;
    // The three readings before the refusal do not find the message.
    deps.chain.getStatus = (_, searchesHistory) => (searchesHistory && ++lookupCount > 3 ? PROCESSED : null);
    await postRefused(refusedTopup);
    expect(lookupCount).toBe(4);
    deps.chain.getStatus = () => null;
    await expectClaimHeld();
  });

  test("when the nodes that lack the message lag behind the node that refused it", async () => {
    const refusedTopup = createTopup(1n);
    await startPausedCall(refusedTopup);
    let lookupCount = 0;
    const { slot } = deps.chain;
    // The three readings before the refusal come from nodes that have caught up.
    deps.chain.getStatus = (_, searchesHistory) => {
      if (searchesHistory && ++lookupCount === 3) deps.chain.slot = () => slot() - 1;
      return null;
    };
    await postRefused(refusedTopup);
    deps.chain.slot = slot;
    deps.chain.getStatus = () => null;
    await expectClaimHeld();
  });

  test("when a node has seen the message with another valid signature of its wallet", async () => {
    deps.verifier = { ...deps.verifier, verify: () => true };
    const claimedTopup = createTopup(1n);
    const refusedTopup = claimedTopup.slice().fill(7, 1, 65);
    await startPausedCall(claimedTopup);
    states.set(readSignature(claimedTopup), PROCESSED);
    await postRefused(refusedTopup);
    states.delete(readSignature(claimedTopup));
    await expectClaimHeld();
  });

  test("when an instance sent the message long ago and the store has only the claim left", async () => {
    const message = createTopup(1n);
    deps.beforeCall = () => {};
    deps.background.run = (_name, task) => task(() => false);
    expect(await postSigned(deps, message)).toMatchObject({ confirmed: false });
    await deps.clock.advance(11 * 60_000);
    await postRefused(message);
    expect(await readUserClaim()).toMatchObject({ held: { sent: true } });
  });
});

test("a message whose claim the store has lost is not sent", async () => {
  deps.beforeCall = async (call) => {
    if (isSendDecision(call)) await deps.kv.delete(toClaimKey(TOPUP));
  };
  await expect(postSigned(deps, createTopup(1n))).rejects.toMatchObject({ code: "upstream_unavailable" });
  expect(listSends(deps)).toEqual([]);
});

test("503: a simulation behind the blockhash's slot refuses nothing, and the same bytes land later", async () => {
  const { slot } = deps.chain;
  const blockhashSlot = slot();
  await recordHeight(deps, { blockhash: createBlockhash(9), lastValidBlockHeight: 1_150, slot: blockhashSlot });
  deps.chain.slot = () => blockhashSlot - 5;
  deps.chain.simulate = createSimulation("AccountNotFound");
  await expect(postSigned(deps, createTopup(1n))).rejects.toMatchObject({ code: "upstream_unavailable" });
  deps.chain.slot = slot;
  deps.chain.simulate = createSimulation();
  expect(await postSigned(deps, createTopup(1n))).toMatchObject({ confirmed: true });
});

test("a claim dated in the future is resolved at once, so that a fast clock blocks no saving", async () => {
  const firstTopup = createTopup(1n);
  deps.beforeCall = () => {};
  // No background task follows the message after its call is answered.
  deps.background.run = (_key, task) => task(() => false);
  const { now } = deps.clock;
  deps.clock.now = () => now() + 3_600_000;
  expect(await runFor(26_000, deps, startPosting(deps, firstTopup))).toMatchObject({ confirmed: false });
  deps.clock.now = now;
  const height = deps.chain.getBlockHeight() + 1_000;
  deps.chain.getBlockHeight = () => height;
  deps.chain.isBlockhashValid = () => false;
  deps.beforeCall = landSends;
  expect(await runFor(20_000, deps, startPosting(deps, createTopup(2n)))).toMatchObject({ confirmed: true });
});
