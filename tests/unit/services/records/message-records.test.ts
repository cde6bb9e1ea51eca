import { beforeEach, describe, expect, test } from "vitest";
import {
  readBuildState,
  readValidUntil,
  recordHeight,
  recordRefusalDecision,
  recordSendDecision,
  resolveBound,
  resolveBoundNow,
  wasRefused,
  wasSent,
} from "../../../../lib/services/records/message-records";
import { createFakeDeps, type FakeDeps, failCalls, listCalls } from "../../../support/fakes/fake-deps";

let deps: FakeDeps;
beforeEach(() => {
  deps = createFakeDeps();
});

const createMessage = (fill: number) => new Uint8Array(200).fill(fill);

/** The lifetime of a record. Every message has landed or expired by then. */
const RECORD_TTL_MS = 600_000;

test("the last valid block height of a blockhash is the first recorded one, for ten minutes", async () => {
  await recordHeight(deps, { blockhash: "first", lastValidBlockHeight: 1_150, slot: 7 });
  await recordHeight(deps, { blockhash: "first", lastValidBlockHeight: 9, slot: 9 });
  await deps.clock.advance(RECORD_TTL_MS - 1);
  expect(await readValidUntil(deps, "first")).toEqual({ height: 1_150, slot: 7 });
  await deps.clock.advance(1);
  expect(await readValidUntil(deps, "first")).toBeNull();
});

describe("the last block in which a message may land", () => {
  /** Puts the chain's head at this slot and height. */
  function setHead(slot: number, height: number): void {
    deps.chain.slot = () => slot;
    deps.chain.getBlockHeight = () => height;
  }

  test("is trusted without another call if a node reported it with the blockhash", async () => {
    await recordHeight(deps, { blockhash: "own", lastValidBlockHeight: 1_150, slot: 2_000 });
    const bound = { lastValidBlockHeight: 1_150, frame: { slot: 2_000, height: 1_000 }, vouched: true };
    expect(await resolveBoundNow(deps, "own")).toEqual(bound);
    expect(listCalls(deps)).not.toContain("rpc.readHead");
  });

  test("of a foreign blockhash counts from its first posting only", async () => {
    setHead(3_000, 1_000);
    const bound = { lastValidBlockHeight: 1_160, frame: { slot: 3_000, height: 1_000 }, vouched: false };
    expect(await resolveBound(deps, "foreign", null, 3_010)).toEqual(bound);
    setHead(3_050, 1_050);
    expect(await resolveBound(deps, "foreign", null, 3_050)).toEqual(bound);
    expect(await resolveBoundNow(deps, "foreign")).toEqual(bound);
    await deps.clock.advance(RECORD_TTL_MS);
    expect(await resolveBound(deps, "foreign", null, 3_050)).toMatchObject({ lastValidBlockHeight: 1_200 });
  });

  test("of a foreign blockhash is the same for two instances that receive it at once", async () => {
    let height = 1_000;
    deps.chain.getBlockHeight = () => height++;
    const [firstResult, secondResult] = await Promise.all([
      resolveBound(deps, "foreign", null, 0),
      resolveBound(deps, "foreign", null, 0),
    ]);
    expect(firstResult).not.toBeNull();
    expect(secondResult).toEqual(firstResult);
  });

  test("is unknown while no node reports the chain's height", async () => {
    deps.beforeCall = failCalls("readHead");
    expect(await resolveBound(deps, "foreign", null, 0)).toBeNull();
    deps.beforeCall = () => {};
    expect(await resolveBound(deps, "foreign", null, 0)).not.toBeNull();
  });
});

describe("a message", () => {
  const readDecision = async (fill: number) => {
    const message = createMessage(fill);
    return { isRefused: await wasRefused(deps, message), isSent: await wasSent(deps, message) };
  };

  test("is never sent after it was refused", async () => {
    expect(await recordRefusalDecision(deps, createMessage(1))).toBe("first");
    expect(await recordRefusalDecision(deps, createMessage(1))).toBe("again");
    expect(await recordSendDecision(deps, createMessage(1))).toBe(false);
    expect(await readDecision(1)).toEqual({ isRefused: true, isSent: false });
    expect(await readDecision(2)).toEqual({ isRefused: false, isSent: false });
  });

  test("is never refused after it was sent", async () => {
    expect(await recordSendDecision(deps, createMessage(1))).toBe(true);
    expect(await recordRefusalDecision(deps, createMessage(1))).toBe("sent");
    expect(await recordSendDecision(deps, createMessage(1))).toBe(true);
    expect(await readDecision(1)).toEqual({ isRefused: false, isSent: true });
  });

  test("keeps its decision for ten minutes after the latest send", async () => {
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
  for (let call = 0; call < 2; call++) {
    await recordSendDecision(deps, createMessage(1));
    await recordRefusalDecision(deps, createMessage(2));
  }
  const decisions = deps.calls.filter(({ method }) => method === "set" || method === "setIfAbsent");
  expect(decisions.map(({ args }) => args[3])).toEqual(Array(6).fill("replicated"));
});

test("readBuildState distinguishes messages that share a blockhash", async () => {
  const readState = (...fills: number[]) => readBuildState(deps, "first", fills.map(createMessage));
  await recordSendDecision(deps, createMessage(1));
  expect(await readState(1)).toEqual({ isHeightKnown: false, hasDecision: true });
  expect(await readState(2)).toEqual({ isHeightKnown: false, hasDecision: false });
  expect(await readState(2, 1)).toMatchObject({ hasDecision: true });
  await recordHeight(deps, { blockhash: "first", lastValidBlockHeight: 1_150, slot: 7 });
  expect(await readState(2)).toEqual({ isHeightKnown: true, hasDecision: false });
  await recordRefusalDecision(deps, createMessage(3));
  expect(await readState(3)).toMatchObject({ hasDecision: true });
});
