import { beforeEach, describe, expect, test, vi } from "vitest";
import { DAY_MS } from "../../../../../lib/domain/time";
import type { SignatureState } from "../../../../../lib/ports/solana-rpc";
import { readClaim, toClaimKey } from "../../../../../lib/services/records/claim-records";
import { recordHeight } from "../../../../../lib/services/records/message-records";
import { buildMemo } from "../../../../../lib/solana/memo";
import { buildSystemTransfer } from "../../../../../lib/solana/system-instructions";
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
} from "../../../../support/fakes/fake-deps";
import {
  buildTransaction,
  deriveServiceWallet,
  isSendDecision,
  postSigned,
  readSignature,
  startPosting,
  user,
} from "../../../../support/worlds/relay-rig";

const ALREADY_SAVED = { code: "already_saved" };
const REFUSED = { code: "simulation_failed" };
const PERIOD = "2026-W47";
/** The state of a transaction whose block may still be dropped. */
const PROCESSED = { slot: 1, error: null, confirmation: "processed" } as const;

let deps: FakeDeps;
let serviceWallet: string;
/** The signature states that the chain reports. */
let states: Map<string, SignatureState>;

beforeEach(async () => {
  deps = createFakeDeps();
  serviceWallet = await deriveServiceWallet(deps);
  deps.chain.accounts.set(user.address, createSolAccount(1_000_000_000n));
  states = new Map();
  deps.chain.getStatus = (signature) => states.get(signature) ?? null;
  deps.beforeCall = landSends;
});

function landSends({ method, args }: { method: string; args: readonly unknown[] }): void {
  if (method === "send") states.set(readSignature(args[0] as Uint8Array), createConfirmedState(500));
}

/** Builds a top-up of the period. Each amount gives a different message. */
const createTopup = (lamports: bigint) =>
  buildTransaction([
    buildSystemTransfer(user.address, serviceWallet, lamports),
    buildSystemTransfer(user.address, FEE_COLLECTORS[0]!, 100_000n),
    buildMemo(`roundup:1:topup:${PERIOD}`, user.address),
  ]);

const readTopupClaim = () => readClaim(deps, { wallet: user.address, mark: { kind: "topup", value: PERIOD } });

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
  expect(await readTopupClaim()).toMatchObject({ held: { sent: false } });
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
    expect(await readTopupClaim()).toBeNull();
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
      const isFirstSend = call.method === "send" && states.size === 0;
      landSends(call);
      if (isFirstSend) sentMarks.push((await readTopupClaim())?.held?.sent);
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
  expect(await readTopupClaim()).toMatchObject({ held: { sent: false } });
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
    states.clear();
    await expectClaimHeld();
  });

  test("when an instance sent the message long ago and the store has only the claim left", async () => {
    const message = createTopup(1n);
    deps.beforeCall = () => {};
    deps.background.run = (_name, task) => task(() => false);
    expect(await postSigned(deps, message)).toMatchObject({ confirmed: false });
    await deps.clock.advance(11 * 60_000);
    await postRefused(message);
    expect(await readTopupClaim()).toMatchObject({ held: { sent: true } });
  });

  test("when an instance has sent the message, which is then pending and not refused", async () => {
    const message = createTopup(1n);
    deps.beforeCall = () => {};
    expect(await postSigned(deps, message)).toMatchObject({ confirmed: false });
    expect(await readTopupClaim()).toMatchObject({ held: { sent: true } });
    deps.chain.simulate = createSimulation("AccountNotFound");
    expect(await postSigned(deps, message)).toMatchObject({ confirmed: false });
    deps.chain.simulate = createSimulation();
    await expect(runFor(0, deps, postSigned(deps, createTopup(2n)))).rejects.toMatchObject(ALREADY_SAVED);
  });
});

test("a message whose claim the store has lost is not sent", async () => {
  deps.beforeCall = async (call) => {
    if (isSendDecision(call))
      await deps.kv.delete(toClaimKey({ wallet: user.address, mark: { kind: "topup", value: PERIOD } }));
  };
  await expect(postSigned(deps, createTopup(1_000_000n))).rejects.toMatchObject({ code: "upstream_unavailable" });
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
