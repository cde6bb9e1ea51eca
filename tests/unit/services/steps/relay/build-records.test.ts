import { describe, expect, test } from "vitest";
import { buildWrap } from "../../../../../lib/services/build-wrap";
import {
  readBuildState,
  readValidUntil,
  recordHeight,
  recordRefusalDecision,
  recordSendDecision,
  resolveBound,
  resolveBoundNow,
  wasRefused,
  wasRelayed,
} from "../../../../../lib/services/steps/relay/build-records";
import { type FakeDeps, failCalls, fakeDeps, listCalls } from "../../../../support/fakes/fake-deps";
import { testWallet } from "../../../../support/fixtures/test-wallets";
import { user } from "../../../../support/worlds/relay-rig";

const createMessage = (fill: number) => new Uint8Array(200).fill(fill);

/** Builds a different wrap for each amount. */
const buildAmount = (deps: FakeDeps, txValueUsd: number) =>
  buildWrap(deps, { txValueUsd, userPubkey: user.address, serviceWalletPubkey: testWallet("service wallet").address });

const listWrites = (deps: FakeDeps) => listCalls(deps).filter((name) => name === "kv.set" || name === "kv.setIfAbsent");

describe("the last valid block height", () => {
  test("is known only for a blockhash that this service handed out", async () => {
    const deps = fakeDeps();
    await recordHeight(deps, { blockhash: "first", lastValidBlockHeight: 1_150, slot: 7 });
    expect(await readValidUntil(deps, "first")).toEqual({ height: 1_150, slot: 7 });
    expect(await readValidUntil(deps, "second")).toBeNull();
  });

  test("keeps the first height recorded for a blockhash", async () => {
    const deps = fakeDeps();
    await recordHeight(deps, { blockhash: "first", lastValidBlockHeight: 1_150 });
    await recordHeight(deps, { blockhash: "first", lastValidBlockHeight: 9 });
    expect(await readValidUntil(deps, "first")).toEqual({ height: 1_150, slot: null });
  });

  test("is written once per blockhash, however many wraps use it", async () => {
    const deps = fakeDeps();
    const firstBuild = await buildAmount(deps, 27.63);
    expect(await readValidUntil(deps, firstBuild.transaction!.blockhash)).toMatchObject({
      height: firstBuild.transaction!.lastValidBlockHeight,
    });
    expect(listWrites(deps)).toHaveLength(1);
    for (const txValueUsd of [27.63, 3.01, 12.34]) await buildAmount(deps, txValueUsd);
    expect(listWrites(deps)).toHaveLength(1);
  });
});

/** The lifetime of a record. Every message has landed or expired by then. */
const RECORD_TTL_MS = 600_000;

describe("the last block in which a message may land", () => {
  /** Puts the chain's head at this slot and height. */
  function setHead(deps: FakeDeps, slot: number, height: number): void {
    deps.chain.slot = () => slot;
    deps.chain.height = () => height;
  }

  test("is trusted without another call if a node reported it with the blockhash", async () => {
    const deps = fakeDeps();
    await recordHeight(deps, { blockhash: "own", lastValidBlockHeight: 1_150, slot: 2_000 });
    const bound = { lastValidBlockHeight: 1_150, frame: { slot: 2_000, height: 1_000 }, vouched: true };
    expect(await resolveBoundNow(deps, "own")).toEqual(bound);
    expect(listCalls(deps)).not.toContain("rpc.readHead");
  });

  test("is anchored at the node's current head if it was recorded without a slot", async () => {
    const deps = fakeDeps();
    setHead(deps, 3_000, 1_100);
    const recorded = { height: 1_150, slot: null };
    const bound = { lastValidBlockHeight: 1_150, frame: { slot: 3_000, height: 1_100 }, vouched: false };
    expect(await resolveBound(deps, "own", recorded, 0)).toEqual(bound);
  });

  test("of a foreign blockhash counts from its first posting only", async () => {
    const deps = fakeDeps();
    setHead(deps, 3_000, 1_000);
    const bound = { lastValidBlockHeight: 1_160, frame: { slot: 3_000, height: 1_000 }, vouched: false };
    expect(await resolveBound(deps, "foreign", null, 3_010)).toEqual(bound);
    setHead(deps, 3_050, 1_050);
    expect(await resolveBound(deps, "foreign", null, 3_050)).toEqual(bound);
    expect(await resolveBoundNow(deps, "foreign")).toEqual(bound);
    await deps.clock.advance(RECORD_TTL_MS);
    expect(await resolveBound(deps, "foreign", null, 3_050)).toMatchObject({ lastValidBlockHeight: 1_200 });
  });

  test("of a foreign blockhash is the same for two instances that receive it at once", async () => {
    const deps = fakeDeps();
    let height = 1_000;
    deps.chain.height = () => height++;
    const [firstResult, secondResult] = await Promise.all([
      resolveBound(deps, "foreign", null, 0),
      resolveBound(deps, "foreign", null, 0),
    ]);
    expect(firstResult).not.toBeNull();
    expect(secondResult).toEqual(firstResult);
  });

  test("is unknown while no node reports the chain's height", async () => {
    const deps = fakeDeps();
    deps.before = failCalls("readHead");
    expect(await resolveBound(deps, "own", { height: 1_150, slot: null }, 0)).toBeNull();
    expect(await resolveBound(deps, "foreign", null, 0)).toBeNull();
    deps.before = () => {};
    expect(await resolveBound(deps, "foreign", null, 0)).not.toBeNull();
  });

  test("is recorded for ten minutes", async () => {
    const deps = fakeDeps();
    await recordHeight(deps, { blockhash: "own", lastValidBlockHeight: 1_150, slot: 2_000 });
    await deps.clock.advance(RECORD_TTL_MS - 1);
    expect(await readValidUntil(deps, "own")).not.toBeNull();
    await deps.clock.advance(1);
    expect(await readValidUntil(deps, "own")).toBeNull();
  });
});

describe("a message", () => {
  test("is never sent after it was refused", async () => {
    const deps = fakeDeps();
    expect(await recordRefusalDecision(deps, createMessage(1))).toBe("first");
    expect(await recordRefusalDecision(deps, createMessage(1))).toBe("again");
    expect(await recordSendDecision(deps, createMessage(1))).toBe(false);
    expect([await wasRefused(deps, createMessage(1)), await wasRelayed(deps, createMessage(1))]).toEqual([true, false]);
    expect([await wasRefused(deps, createMessage(2)), await wasRelayed(deps, createMessage(2))]).toEqual([
      false,
      false,
    ]);
  });

  test("is never refused after it was sent", async () => {
    const deps = fakeDeps();
    expect(await recordSendDecision(deps, createMessage(1))).toBe(true);
    expect(await recordRefusalDecision(deps, createMessage(1))).toBe("sent");
    expect(await recordSendDecision(deps, createMessage(1))).toBe(true);
    expect([await wasRefused(deps, createMessage(1)), await wasRelayed(deps, createMessage(1))]).toEqual([false, true]);
  });

  test("keeps its decision for ten minutes after the latest send", async () => {
    const deps = fakeDeps();
    await recordSendDecision(deps, createMessage(1));
    await deps.clock.advance(RECORD_TTL_MS - 1);
    await recordSendDecision(deps, createMessage(1));
    await deps.clock.advance(RECORD_TTL_MS - 1);
    expect(await recordRefusalDecision(deps, createMessage(1))).toBe("sent");
    await deps.clock.advance(1);
    expect(await recordRefusalDecision(deps, createMessage(1))).toBe("first");
    await deps.clock.advance(RECORD_TTL_MS - 1);
    expect(await wasRefused(deps, createMessage(1))).toBe(true);
  });
});

test("every decision reaches the replicas before its caller acts on it", async () => {
  const deps = fakeDeps();
  for (let call = 0; call < 2; call++) {
    await recordSendDecision(deps, createMessage(1));
    await recordRefusalDecision(deps, createMessage(2));
  }
  const decisions = deps.calls.filter(({ method }) => method === "set" || method === "setIfAbsent");
  expect(decisions.map(({ args }) => args[3])).toEqual(Array(6).fill("replicated"));
});

describe("readBuildState", () => {
  test("distinguishes messages that share a blockhash", async () => {
    const deps = fakeDeps();
    await recordSendDecision(deps, createMessage(1));
    expect(await readBuildState(deps, "first", [createMessage(1)])).toEqual({
      isHeightKnown: false,
      hasDecision: true,
    });
    expect(await readBuildState(deps, "first", [createMessage(2)])).toEqual({
      isHeightKnown: false,
      hasDecision: false,
    });
    expect(await readBuildState(deps, "first", [createMessage(2), createMessage(1)])).toMatchObject({
      hasDecision: true,
    });
    await recordHeight(deps, { blockhash: "first", lastValidBlockHeight: 1_150 });
    expect(await readBuildState(deps, "first", [createMessage(2)])).toEqual({
      isHeightKnown: true,
      hasDecision: false,
    });
    await recordRefusalDecision(deps, createMessage(3));
    expect(await readBuildState(deps, "first", [createMessage(3)])).toMatchObject({ hasDecision: true });
  });

  test("reads any number of messages in one store call", async () => {
    const deps = fakeDeps();
    await readBuildState(deps, "first", [createMessage(1), createMessage(2), createMessage(3)]);
    expect(listCalls(deps)).toEqual(["kv.getMany"]);
  });
});
