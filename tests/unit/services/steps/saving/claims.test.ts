import { beforeEach, describe, expect, test, vi } from "vitest";
import { buildWrapBatchContract } from "../../../../../lib/contracts/build-wrap-batch";
import { createThroughMark, formatMark, type Mark, NOTHING_SAVED } from "../../../../../lib/domain/marks";
import { DAY_MS } from "../../../../../lib/domain/time";
import type { SignatureState } from "../../../../../lib/ports/solana-rpc";
import { buildWrapBatch } from "../../../../../lib/services/build-wrap-batch";
import { readClaim, replaceClaim, toClaimKey } from "../../../../../lib/services/records/claim-records";
import { toRecordKey } from "../../../../../lib/services/records/landings";
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

beforeEach(async () => {
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
  deps.beforeCall = ({ method, args }) => {
    if (method === "send" && isLanding) states.set(readSignature(args[0] as Uint8Array), createConfirmedState(500));
  };
  for (let i = 0; i < 9; i++) addPayment(i);
});

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
  test("are saved by the first of two transactions only", async () => {
    const [firstSaving, secondSaving] = [await createSaving(3), await createSaving(3)];
    expect(await postSigned(deps, firstSaving)).toMatchObject({ confirmed: true });
    await expect(postSigned(deps, secondSaving)).rejects.toMatchObject(ALREADY_SAVED);
    const txSignature = readSignature(firstSaving);
    expect(await postSigned(deps, firstSaving)).toMatchObject({ confirmed: true, txSignature });
    await expect(postSigned(deps, secondSaving)).rejects.toMatchObject(ALREADY_SAVED);
    expect(listSends(deps).every(({ bytes }) => readSignature(bytes) === txSignature)).toBe(true);
  });

  test("are refused at build and at send unless they are newer than the last saved payment", async () => {
    const olderSaving = await createSaving(2);
    await postSigned(deps, await createSaving(3));
    for (const i of [2, 3]) await expect(buildSaving(i)).rejects.toMatchObject(ALREADY_SAVED);
    await expect(postSigned(deps, olderSaving)).rejects.toMatchObject(ALREADY_SAVED);
    expect(await postSigned(deps, await createSaving(4))).toMatchObject({ confirmed: true });
  });

  test("may be saved by a second transaction only after the first has certainly expired", async () => {
    isLanding = false;
    const [firstSaving, secondSaving] = [await createSaving(3), await createSaving(3)];
    expect(await postSigned(deps, firstSaving)).toMatchObject({ confirmed: false });
    await expect(postSigned(deps, secondSaving)).rejects.toMatchObject(ALREADY_SAVED);
    advancePastExpiry();
    const thirdSaving = await createSaving(3);
    await expect(postSigned(deps, firstSaving)).rejects.toMatchObject({ code: "transaction_expired" });
    isLanding = true;
    expect(await postSigned(deps, thirdSaving)).toMatchObject({ confirmed: true });
  });

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

  test("is ended at once if its message has landed", async () => {
    await abandonClaim();
    states.set(readSignature(firstSaving), createConfirmedState(501));
    await expect(postNext(0)).rejects.toMatchObject(ALREADY_SAVED);
    expect(await readUserClaim()).toMatchObject({ held: null, saved: {} });
  });

  test("is free at once if its message has failed on the chain", async () => {
    await abandonClaim();
    states.set(readSignature(firstSaving), FAILED);
    expect(await postNext(1_000)).toMatchObject({ confirmed: true });
  });

  /** Makes the store fail at the first write that ends the claim after its message has landed. */
  function failFirstClaimEnd(landedState: SignatureState): void {
    let failuresLeft = 1;
    deps.beforeCall = ({ method, args }) => {
      if (method === "send")
        states.set(readSignature(args[0] as Uint8Array), states.size > 9 ? createConfirmedState(502) : landedState);
      const isClaimEnd =
        method === "replace" && String(args[0]).startsWith("claim:") && states.has(readSignature(firstSaving));
      if (isClaimEnd && failuresLeft-- > 0) throw createOutage();
    };
  }

  test("is ended by the next post, which makes its message land, although the store fails once", async () => {
    await abandonClaim();
    await deps.clock.advance(60_000);
    failFirstClaimEnd(createConfirmedState(501));
    await expect(postNext()).rejects.toMatchObject(ALREADY_SAVED);
    expect(await readUserClaim()).toMatchObject({ held: null, saved: {} });
  });

  test("is freed by the next post when its message fails on the chain, although the store fails once", async () => {
    await abandonClaim();
    await deps.clock.advance(60_000);
    failFirstClaimEnd(FAILED);
    expect(await postNext()).toMatchObject({ confirmed: true });
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
  const signedMark = { wallet: user.address, mark: TOPUP_MARK };
  let isTaken = false;
  deps.beforeCall = async ({ method, args }) => {
    if (method !== "replace" || args[0] !== toClaimKey(signedMark) || isTaken) return;
    isTaken = true;
    const saved = { value: TOPUP_MARK.value, slot: 0, message: "another", txSignature: toPaymentSignature(1) };
    await replaceClaim(deps, signedMark, null, { saved, held: null });
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
