import { beforeEach, describe, expect, test } from "vitest";
import type { Json } from "../../../../../lib/ports/json";
import type { KvStore } from "../../../../../lib/ports/kv-store";
import type { SignatureState } from "../../../../../lib/ports/solana-rpc";
import { recordHeight } from "../../../../../lib/services/steps/relay/build-records";
import { readClaim } from "../../../../../lib/services/steps/relay/claim-records";
import { createMemo } from "../../../../../lib/solana/memo";
import { createSystemTransfer } from "../../../../../lib/solana/system-instructions";
import {
  blockhashOf,
  confirmedAt,
  type FakeDeps,
  FEE_COLLECTORS,
  fakeDeps,
  listSends,
  outage,
  runFor,
  solAccount,
} from "../../../../support/fakes/fake-deps";
import {
  buildTransaction,
  deriveService,
  execute,
  post,
  signatureOf,
  user,
} from "../../../../support/worlds/relay-rig";

const ALREADY_SAVED = { code: "already_saved" };
const REFUSED = { code: "simulation_failed" };
const PERIOD = "2026-W47";

let deps: FakeDeps;
let service: string;
/** States that the chain reports, by signature. */
let known: Map<string, SignatureState>;

beforeEach(async () => {
  deps = fakeDeps();
  service = await deriveService(deps);
  deps.chain.accounts.set(user.address, solAccount(1_000_000_000n));
  known = new Map();
  deps.chain.status = (signature) => known.get(signature) ?? null;
  deps.before = lands;
});

function lands({ method, args }: { method: string; args: readonly unknown[] }): void {
  if (method === "send") known.set(signatureOf(args[0] as Uint8Array), confirmedAt(500));
}

/** Builds a top-up of the period. Each amount gives a different message. */
const topup = (lamports: bigint) =>
  buildTransaction(
    [
      createSystemTransfer(user.address, service, lamports),
      createSystemTransfer(user.address, FEE_COLLECTORS[0]!, 100_000n),
      createMemo(`roundup:1:topup:${PERIOD}`, user.address),
    ],
    [user],
    blockhashOf(9),
  );

const claim = () => readClaim(deps, { wallet: user.address, mark: { kind: "topup", value: PERIOD } });

const simulateAs = (error: Json, slot?: number) => {
  deps.chain.simulation = () => ({ error, logs: [], unitsConsumed: 0, ...(slot !== undefined && { slot }) });
};

const isWord = ({ method, args }: { method: string; args: readonly unknown[] }) =>
  method === "setIfAbsent" && String(args[0]).startsWith("relayed-message:");

/** Starts a call that has taken the claim for these bytes and pauses before it records that they are sent. */
async function pausedCall(bytes: Uint8Array) {
  let goOn: (() => void) | null = null;
  deps.before = async (call) => {
    if (isWord(call) && !goOn)
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
    lands(call);
  };
  const paused = execute(deps, bytes).catch((error) => error);
  while (!goOn) await deps.clock.advance(1);
  expect(await claim()).toMatchObject({ held: { sent: false } });
  return { paused, resume: goOn as () => void };
}

/** Posts bytes that the network refuses because the wallet is empty. */
async function postRefused(bytes: Uint8Array): Promise<void> {
  simulateAs("AccountNotFound");
  await expect(post(deps, bytes)).rejects.toMatchObject(REFUSED);
  simulateAs(null);
}

const sentSignatures = () => listSends(deps).map(({ bytes }) => signatureOf(bytes));

describe("a refused message", () => {
  test("takes no claim when it is posted again, so the next message can land at once", async () => {
    const refused = topup(1n);
    await postRefused(refused);
    await expect(post(deps, refused)).rejects.toMatchObject(REFUSED);
    expect(await claim()).toBeNull();
    expect(await runFor(0, deps, post(deps, topup(2n)))).toMatchObject({ confirmed: true });
    expect(sentSignatures()).not.toContain(signatureOf(refused));
  });

  test.each([
    ["when it continues", 0, REFUSED.code],
    ["even after a clock jump and a store that lost the refusal", 86_400_000, "upstream_unavailable"],
  ])("frees the claim that another call took for it, and that call sends nothing %s", async (_when, laterMs, code) => {
    const refused = topup(1n);
    const { paused, resume } = await pausedCall(refused);
    await postRefused(refused);
    expect(await post(deps, topup(2n))).toMatchObject({ confirmed: true });
    await deps.clock.advance(laterMs);
    resume();
    expect(await paused).toMatchObject({ code });
    expect(sentSignatures()).not.toContain(signatureOf(refused));
  });
});

describe("a claim is marked as sent before the message goes out", () => {
  /** The claim's word at each send. */
  function recordAtSends(): unknown[] {
    const words: unknown[] = [];
    deps.before = async ({ method, args }) => {
      if (method !== "send") return;
      const isFirst = known.size === 0;
      known.set(signatureOf(args[0] as Uint8Array), confirmedAt(500));
      if (isFirst) words.push((await claim())?.held?.sent);
    };
    return words;
  }

  test("by a second call with the same bytes", async () => {
    const bytes = topup(1n);
    await pausedCall(bytes);
    const words = recordAtSends();
    expect(await post(deps, bytes)).toMatchObject({ confirmed: true });
    expect(words).toEqual([true]);
  });

  test("by the next message, which sends it for a call that died", async () => {
    await pausedCall(topup(1n));
    await deps.clock.advance(61_000);
    const words = recordAtSends();
    await expect(post(deps, topup(2n))).rejects.toMatchObject(ALREADY_SAVED);
    expect(words).toEqual([true]);
  });
});

/** Expects the next message to be refused, because the earlier refusal must not free the claim. */
const expectHeld = async () => {
  expect(await claim()).toMatchObject({ held: { sent: false } });
  await expect(post(deps, topup(2n))).rejects.toMatchObject(ALREADY_SAVED);
};

describe("the claim of a refused message stays", () => {
  test("when the store's answer to the refusal is lost", async () => {
    const refused = topup(1n);
    await pausedCall(refused);
    simulateAs("AccountNotFound");
    const { kv } = deps;
    const losesAnswer: KvStore["setIfAbsent"] = async (...args) => {
      await kv.setIfAbsent(...args);
      throw outage();
    };
    deps.kv = new Proxy(kv, {
      get: (target, method) => (method === "setIfAbsent" ? losesAnswer : Reflect.get(target, method)),
    });
    await expect(post(deps, refused)).rejects.toMatchObject({ code: "upstream_unavailable" });
    deps.kv = kv;
    simulateAs(null);
    await expectHeld();
    // A second refusal frees the claim just as little.
    await expect(post(deps, refused)).rejects.toMatchObject(REFUSED);
    await expectHeld();
  });

  test("when the wallet broadcast it directly and a node has seen it", async () => {
    const refused = topup(1n);
    await pausedCall(refused);
    let looks = 0;
    // The readings before the refusal do not find it.
    deps.chain.status = (_, search) =>
      search && ++looks > 2 ? { slot: 1, error: null, confirmation: "processed" } : null;
    await postRefused(refused);
    expect(looks).toBe(3);
    deps.chain.status = () => null;
    await expectHeld();
  });

  test("when the nodes that lack it lag behind the node that refused it", async () => {
    const refused = topup(1n);
    await pausedCall(refused);
    let looks = 0;
    const { slot } = deps.chain;
    deps.chain.status = (_, search) => {
      if (search && ++looks === 2) deps.chain.slot = () => slot() - 1;
      return null;
    };
    await postRefused(refused);
    deps.chain.slot = slot;
    deps.chain.status = () => null;
    await expectHeld();
  });

  test("when a node has seen it under another valid signature of its wallet", async () => {
    deps.verifier = { ...deps.verifier, verify: () => true };
    const claimed = topup(1n);
    const refused = claimed.slice();
    refused.fill(7, 1, 65);
    await pausedCall(claimed);
    known.set(signatureOf(claimed), { slot: 1, error: null, confirmation: "processed" });
    await postRefused(refused);
    known.clear();
    await expectHeld();
  });

  test("when an instance has sent it long ago, and the store keeps only the claim", async () => {
    const sent = topup(1n);
    deps.before = () => {};
    deps.background.run = (_name, task) => task(() => false);
    expect(await post(deps, sent)).toMatchObject({ confirmed: false });
    await deps.clock.advance(11 * 60_000);
    await postRefused(sent);
    expect(await claim()).toMatchObject({ held: { sent: true } });
  });

  test("when an instance has sent it, because a sent message is not refused", async () => {
    const sent = topup(1n);
    deps.before = () => {};
    expect(await post(deps, sent)).toMatchObject({ confirmed: false });
    expect(await claim()).toMatchObject({ held: { sent: true } });
    simulateAs("AccountNotFound");
    expect(await post(deps, sent)).toMatchObject({ confirmed: false });
    simulateAs(null);
    await expect(runFor(0, deps, post(deps, topup(2n)))).rejects.toMatchObject(ALREADY_SAVED);
  });
});

test("sends nothing if the store has lost its claim since it was taken", async () => {
  deps.before = async ({ method, args: [key] }) => {
    if (method === "setIfAbsent" && String(key).startsWith("relayed-message:"))
      await deps.kv.delete(`claim:topup:${user.address}:${PERIOD}`);
  };
  await expect(post(deps, topup(1_000_000n))).rejects.toMatchObject({ code: "upstream_unavailable" });
  expect(listSends(deps)).toEqual([]);
});

test("answers 503 while nodes lag behind the blockhash's slot, and the same bytes land later", async () => {
  const { slot } = deps.chain;
  const seen = slot();
  await recordHeight(deps, { blockhash: blockhashOf(9), lastValidBlockHeight: 1_150, slot: seen });
  deps.chain.slot = () => seen - 5;
  simulateAs("AccountNotFound");
  await expect(post(deps, topup(1n))).rejects.toMatchObject({ code: "upstream_unavailable" });
  deps.chain.slot = slot;
  simulateAs(null);
  expect(await post(deps, topup(1n))).toMatchObject({ confirmed: true });
});

test("resolves a claim dated in the future at once, so that a fast clock blocks no saving", async () => {
  const first = topup(1n);
  deps.before = () => {};
  // No background task follows it after its call is answered.
  deps.background.run = (_key, task) => task(() => false);
  const { now } = deps.clock;
  deps.clock.now = () => now() + 3_600_000;
  expect(await runFor(26_000, deps, execute(deps, first))).toMatchObject({ confirmed: false });
  deps.clock.now = now;
  const height = deps.chain.height() + 1_000;
  deps.chain.height = () => height;
  deps.chain.blockhashValid = () => false;
  deps.before = lands;
  expect(await runFor(20_000, deps, execute(deps, topup(2n)))).toMatchObject({ confirmed: true });
});
