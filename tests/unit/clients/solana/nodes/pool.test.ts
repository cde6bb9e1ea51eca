import { describe, expect, test } from "vitest";
import { z } from "zod";
import { toTransactionError } from "../../../../../lib/clients/solana/json-rpc";
import type { AppError } from "../../../../../lib/errors";
import {
  createReply,
  createResultAt,
  createStagedNodes,
  refuseConnection,
  type StagedNode,
} from "../../../../support/fakes/staged-nodes";

type World = ReturnType<typeof createStagedNodes>;

const Answer = z.object({ value: z.unknown() });
/** A read that returns the name of the node that answered. */
const readAccounts = async ({ nodes }: World, method = "getMultipleAccounts") =>
  (await nodes.rpc.call(method, [], Answer, { maxBytes: 1_000 })).value;
const catchFailure = (promise: Promise<unknown>): Promise<AppError> =>
  promise.then(
    () => expect.unreachable(),
    (error) => error,
  );

const SLOT = 1_000_000;
const answerWith =
  (name: string): StagedNode =>
  ({ method }) =>
    method === "getSlot" ? { result: SLOT } : createResultAt(SLOT, name);
const listAskedNodes = ({ receivedCalls }: World) =>
  receivedCalls.filter(({ method }) => method !== "getSlot").map(({ node }) => node);
const probed = ({ receivedCalls }: World) =>
  receivedCalls.filter(({ method }) => method === "getSlot").map(({ node }) => node);
const three = () => createStagedNodes({ a: answerWith("a"), b: answerWith("b"), c: answerWith("c") });
const readStates = ({ nodes }: World) => nodes.report().map(({ state }) => state);

describe("a pool of nodes", () => {
  test("uses the first node while it answers", async () => {
    const world = three();
    for (let i = 0; i < 5; i++) expect(await readAccounts(world)).toBe("a");
    expect(listAskedNodes(world)).toEqual(Array(5).fill("a"));
  });

  test.each<[string, StagedNode]>([
    ["is not reachable", refuseConnection],
    ["answers 500", () => createReply(500)],
    ["answers 401", () => createReply(401)],
    ["answers 429", () => createReply(429)],
    ["answers no JSON", () => createReply(200, {}, "<html>")],
    ["returns an unexpected result", () => ({ result: "none" })],
    ["does not have the method", () => ({ error: { code: -32601, message: "Method not found" } })],
    ["returns an unknown error", () => ({ error: { code: -32052, message: "API key is not allowed" } })],
    ...[429, -32005, -32012, -32016, -32019, -32090, -32429, -32603].map((code): [string, StagedNode] => [
      `answers ${code}`,
      () => ({ error: { code, message: "" } }),
    ]),
  ])("uses the next node when the first %s", async (_name, stage) => {
    const world = three();
    world.staged.a = stage;
    expect(await readAccounts(world)).toBe("b");
    expect(listAskedNodes(world)).toEqual(["a", "b"]);
  });

  test("asks no other node when the request itself is wrong", async () => {
    const world = three();
    world.staged.a = () => ({ error: { code: -32602, message: "Invalid params" } });
    for (let i = 0; i < 9; i++) expect((await catchFailure(readAccounts(world))).code).toBe("upstream_invalid");
    expect(listAskedNodes(world)).toEqual(Array(9).fill("a"));
    expect(readStates(world)).toEqual(["up", "up", "up"]);
  });

  test("asks each node once when all fail", async () => {
    const world = createStagedNodes({
      a: refuseConnection,
      b: () => createReply(500),
      c: () => createReply(429, { "retry-after": "7" }),
    });
    const { code, details } = await catchFailure(readAccounts(world));
    expect([code, details.retryAfterSeconds]).toEqual(["upstream_unavailable", 7]);
    expect(listAskedNodes(world)).toEqual(["a", "b", "c"]);
  });

  test("asks the next node before it reports a transaction as refused", async () => {
    const refusing: StagedNode = () => ({
      error: { code: -32602, message: "address table account that doesn't exist" },
    });
    const { simulation } = {
      simulation: (world: World) =>
        world.nodes.rpc.call("simulateTransaction", [], Answer, { maxBytes: 1_000, onError: toTransactionError }),
    };
    const world = three();
    world.staged.a = refusing;
    expect(await simulation(world)).toEqual({ value: "b" });
    world.staged.b = world.staged.c = refusing;
    expect((await catchFailure(simulation(world))).code).toBe("simulation_failed");
  });
});

describe("a node that fails 5 times in a row", () => {
  test("is used again after a rest of 10 s and a successful probe", async () => {
    const world = three();
    world.staged.a = refuseConnection;
    for (let i = 0; i < 7; i++) expect(await readAccounts(world)).toBe("b");
    expect(listAskedNodes(world).filter((name) => name === "a")).toHaveLength(5);
    expect(readStates(world)[0]).toBe("failing");
    await world.clock.advance(9_999);
    await readAccounts(world);
    expect(probed(world).filter((name) => name === "a")).toEqual([]);
    await world.clock.advance(1_000);
    await Promise.all([readAccounts(world), readAccounts(world)]);
    await world.clock.advance(0);
    expect(probed(world).filter((name) => name === "a")).toHaveLength(1);
    world.staged.a = answerWith("a");
    await world.clock.advance(20_000);
    // The call that starts the probe does not wait for it.
    expect(await readAccounts(world)).toBe("b");
    await world.clock.advance(0);
    expect(await readAccounts(world)).toBe("a");
    expect(world.notices).toEqual(["rpc 1 is failing.", "rpc 1 is up."]);
  });

  test("rests twice as long after each failed probe, up to 5 minutes, plus a random part", async () => {
    const measureRests = async (random: number) => {
      const world = createStagedNodes(
        { a: refuseConnection, b: answerWith("b") },
        { random: { bytes: () => Uint8Array.of(random) } },
      );
      for (let i = 0; i < 5; i++) await readAccounts(world);
      const rests: number[] = [];
      let lastProbeAt = world.clock.now();
      while (rests.length < 8) {
        await world.clock.advance(1_000);
        const earlierProbeCount = probed(world).filter((name) => name === "a").length;
        await readAccounts(world);
        if (probed(world).filter((name) => name === "a").length === earlierProbeCount) continue;
        rests.push((world.clock.now() - lastProbeAt) / 1000);
        lastProbeAt = world.clock.now();
      }
      return rests;
    };
    expect(await measureRests(0)).toEqual([10, 20, 40, 80, 160, 300, 300, 300]);
    expect((await measureRests(255)).slice(0, 3)).toEqual([13, 25, 50]);
  });

  test("does not rest when an answer came in between", async () => {
    const world = three();
    for (let i = 0; i < 20; i++) {
      world.staged.a = i % 5 === 4 ? answerWith("a") : refuseConnection;
      await readAccounts(world);
    }
    expect(readStates(world)[0]).toBe("up");
  });

  test("is asked during its rest when no node is up, and after it the next resting node", async () => {
    const world = createStagedNodes({ a: refuseConnection, b: refuseConnection });
    for (let minute = 0; minute < 60; minute++) {
      expect((await catchFailure(readAccounts(world))).code).toBe("upstream_unavailable");
      await world.clock.advance(60_000);
    }
    expect(readStates(world)).toEqual(["failing", "failing"]);
    await catchFailure(readAccounts(world));
    world.staged.b = answerWith("b");
    expect(await readAccounts(world)).toBe("b");
    expect(await readAccounts(world)).toBe("b");
  });

  test("is not followed by a busy node", async () => {
    const world = createStagedNodes({ a: refuseConnection, b: () => createReply(429) });
    for (let i = 0; i < 5; i++) await catchFailure(readAccounts(world));
    await world.clock.advance(0);
    const earlierCallCount = listAskedNodes(world).length;
    for (let i = 0; i < 5; i++) await catchFailure(readAccounts(world));
    expect(listAskedNodes(world).slice(earlierCallCount)).toEqual(Array(5).fill("a"));
  });

  test("is asked during its rest when it is the only node", async () => {
    const world = createStagedNodes({ a: refuseConnection });
    for (let i = 0; i < 10; i++) expect((await catchFailure(readAccounts(world))).code).toBe("upstream_unavailable");
    world.staged.a = answerWith("a");
    expect(await readAccounts(world)).toBe("a");
  });
});

describe("a node that is busy", () => {
  test("is used again without a probe after a rest of one second", async () => {
    const world = three();
    world.staged.a = () => createReply(429);
    expect([await readAccounts(world), await readAccounts(world)]).toEqual(["b", "b"]);
    expect(listAskedNodes(world)).toEqual(["a", "b", "b"]);
    await world.clock.advance(1_000);
    await readAccounts(world);
    await world.clock.advance(1_000);
    await readAccounts(world);
    expect(listAskedNodes(world).filter((name) => name === "a")).toHaveLength(2);
    world.staged.a = answerWith("a");
    await world.clock.advance(1_000);
    expect(await readAccounts(world)).toBe("a");
  });

  test.each([
    [30, 10_000],
    [300, 29_000],
  ])("rests for its Retry-After of %i s but at most 30 s, even as the only node", async (seconds, waitedMs) => {
    const world = createStagedNodes({ a: () => createReply(429, { "retry-after": `${seconds}` }) });
    expect((await catchFailure(readAccounts(world))).details.retryAfterSeconds).toBe(30);
    await world.clock.advance(waitedMs);
    expect((await catchFailure(readAccounts(world))).details.retryAfterSeconds).toBe(30 - waitedMs / 1_000);
    expect(listAskedNodes(world)).toEqual(["a"]);
    world.staged.a = answerWith("a");
    await world.clock.advance(30_000 - waitedMs);
    expect(await readAccounts(world)).toBe("a");
  });
});

describe("a node that lags", () => {
  const lagging =
    (slots: number, name: string): StagedNode =>
    ({ method }) =>
      method === "getSlot" ? { result: SLOT - slots } : createResultAt(SLOT - slots, name);

  test("is not used while it is more than 25 slots behind", async () => {
    const world = three();
    await readAccounts(world);
    world.staged.a = lagging(26, "a");
    expect([await readAccounts(world), await readAccounts(world)]).toEqual(["b", "b"]);
    expect(world.nodes.report()[0]).toMatchObject({ position: 1, state: "lagging", lagSlots: 26 });
    await world.clock.advance(10_000);
    expect(await readAccounts(world)).toBe("b");
    await world.clock.advance(20_000);
    world.staged.a = lagging(25, "a");
    await readAccounts(world);
    await world.clock.advance(0);
    expect(await readAccounts(world)).toBe("a");
  });

  test("fails the call when it is the only node", async () => {
    const world = createStagedNodes({ a: answerWith("a") });
    await readAccounts(world);
    world.staged.a = lagging(26, "a");
    expect((await catchFailure(readAccounts(world))).code).toBe("upstream_unavailable");
    // Behind a load balancer, another node may give the next answer.
    expect(listAskedNodes(world)).toEqual(["a", "a", "a"]);
  });

  test("is compared with the extrapolated newest slot when no other node is up", async () => {
    const world = createStagedNodes({ a: answerWith("a"), b: lagging(100, "b") });
    await readAccounts(world);
    world.staged.a = refuseConnection;
    expect((await catchFailure(readAccounts(world))).code).toBe("upstream_unavailable");
    world.staged.b = () => createReply(429);
    expect((await catchFailure(readAccounts(world))).code).toBe("upstream_unavailable");
    const behind = (slots: number): StagedNode => {
      const began = world.clock.now();
      return (call, ms) => lagging(slots - Math.floor((world.clock.now() - began) / 400), "b")(call, ms);
    };
    const tries = async (stage: StagedNode) => {
      world.staged.b = stage;
      for (let minutes = 0; minutes < 4; minutes++) {
        await world.clock.advance(60_000);
        await readAccounts(world).catch(() => {});
      }
      return readAccounts(world).catch((error) => error.code);
    };
    expect(await tries(behind(100))).toBe("upstream_unavailable");
    // The extrapolated newest slot.
    expect(await tries(behind(-600))).toBe("b");
  });

  test("is used alone after an outage once it reaches the extrapolated newest slot", async () => {
    const world = createStagedNodes({ a: refuseConnection, b: answerWith("b") });
    for (let i = 0; i < 5; i++) await readAccounts(world);
    expect(readStates(world)).toEqual(["failing", "up"]);
    world.staged.b = () => createReply(429, { "retry-after": "30" });
    await catchFailure(readAccounts(world));
    await world.clock.advance(20_000);
    world.staged.a = lagging(0, "a");
    expect((await catchFailure(readAccounts(world))).code).toBe("upstream_unavailable");
    world.staged.a = lagging(-50, "a");
    expect(await readAccounts(world)).toBe("a");
  });

  test("stays at rest when an answer shows no slot", async () => {
    const world = three();
    await readAccounts(world);
    world.staged.a = lagging(100, "a");
    await readAccounts(world);
    expect(await readAccounts(world, "getSignaturesForAddress")).toBe("b");
  });

  test("is not detected by comparison with an impossibly high slot of another node", async () => {
    const world = three();
    await readAccounts(world);
    world.staged.a = lagging(-5_000_000, "a");
    await readAccounts(world);
    world.staged.a = refuseConnection;
    expect(await readAccounts(world)).toBe("b");
  });

  test("is found by a probe when it has been idle for a while", async () => {
    const world = three();
    world.staged.b = lagging(100, "b");
    await readAccounts(world);
    await world.clock.advance(10_000);
    await readAccounts(world);
    await world.clock.advance(0);
    world.staged.a = refuseConnection;
    expect(await readAccounts(world, "getSignaturesForAddress")).toBe("c");
    expect(readStates(world)).toEqual(["up", "lagging", "up"]);
  });
});

describe("the pool's time limits", () => {
  test("give a call 5 s in all and a hanging node 2 s of them while another is up", async () => {
    const world = three();
    world.staged.a = world.hang;
    const firstRead = readAccounts(world);
    await world.clock.advance(2_000);
    expect(await firstRead).toBe("b");
    world.staged.b = world.staged.c = world.hang;
    const began = listAskedNodes(world).length;
    const read = catchFailure(readAccounts(world));
    await world.clock.advance(5_000);
    expect((await read).code).toBe("upstream_timeout");
    expect(listAskedNodes(world).slice(began)).toEqual(["b", "c"]);
  });

  test("give a node all 5 s without a retry when no other node is up", async () => {
    for (const names of [["a"], ["a", "b"]]) {
      const world = createStagedNodes(Object.fromEntries(names.map((name) => [name, refuseConnection])));
      for (let i = 0; i < 5; i++) await catchFailure(readAccounts(world));
      world.staged.a = world.hang;
      const began = listAskedNodes(world).length;
      const read = catchFailure(readAccounts(world));
      await world.clock.advance(4_999);
      expect(listAskedNodes(world).slice(began)).toEqual(["a"]);
      await world.clock.advance(1);
      expect((await read).code).toBe("upstream_timeout");
      expect(listAskedNodes(world).slice(began)).toEqual(["a"]);
    }
  });

  test("give the last node the remaining time", async () => {
    const world = three();
    let remainingMs = 0;
    world.staged.a = async () => {
      await world.clock.sleep(1_800);
      return createReply(500);
    };
    world.staged.b = refuseConnection;
    world.staged.c = (call, timeoutMs) => {
      remainingMs = timeoutMs;
      return answerWith("c")(call, timeoutMs);
    };
    const read = readAccounts(world);
    await world.clock.advance(1_800);
    expect([await read, remainingMs]).toEqual(["c", 3_200]);
  });

  test("skip a node only for the method that hangs", async () => {
    const world = three();
    world.staged.a = (call, timeoutMs) =>
      call.method === "getProgramAccounts" ? world.hang(call, timeoutMs) : createResultAt(SLOT, "a");
    const hung = readAccounts(world, "getProgramAccounts");
    await world.clock.advance(2_000);
    await hung;
    expect(await readAccounts(world, "getProgramAccounts")).toBe("b");
    expect(await readAccounts(world)).toBe("a");
  });
});

describe("the network check", () => {
  const GENESIS = "genesis of the right one";
  const of =
    (hash: string, name: string): StagedNode =>
    (call, ms) =>
      call.method === "getGenesisHash" ? { result: hash } : answerWith(name)(call, ms);
  const world = (staged: Record<string, StagedNode>) => createStagedNodes(staged, { genesisHash: GENESIS });

  test("reports nodes on another network and nodes that do not answer, by position", async () => {
    const checkedWorld = world({ a: of(GENESIS, "a"), b: of("other", "b"), c: refuseConnection });
    expect(await checkedWorld.nodes.check()).toEqual([
      { use: "read", position: 2, network: "wrong" },
      { use: "read", position: 3, network: "unknown" },
    ]);
    expect(readStates(checkedWorld)).toEqual(["up", "wrong network", "unchecked"]);
  });

  test("is repeated when a node's slot leaps", async () => {
    const movedNode: StagedNode = (call) =>
      call.method === "getGenesisHash" ? { result: "other" } : createResultAt(SLOT + 9_000_000, "of another chain");
    for (const names of [["a"], ["a", "b"]]) {
      const staged = world(Object.fromEntries(names.map((name) => [name, of(GENESIS, name)])));
      await staged.nodes.check();
      await staged.clock.advance(61_000);
      expect(await readAccounts(staged)).toBe("a");
      staged.staged.a = movedNode;
      if (names.length > 1) expect(await readAccounts(staged)).toBe("b");
      else expect((await catchFailure(readAccounts(staged))).code).toBe("upstream_unavailable");
      await readAccounts(staged).catch(() => {});
      await staged.clock.advance(60_000);
      await readAccounts(staged).catch(() => {});
      await staged.clock.advance(0);
      expect(readStates(staged)[0]).toBe("wrong network");
    }
  });

  test("precedes a node's first use", async () => {
    const lateWorld = world({ a: refuseConnection, b: of(GENESIS, "b") });
    await lateWorld.nodes.check();
    lateWorld.staged.a = of("other", "a");
    await lateWorld.clock.advance(20_000);
    expect(await readAccounts(lateWorld)).toBe("b");
    await lateWorld.clock.advance(0);
    expect(readStates(lateWorld)).toEqual(["wrong network", "up"]);
    lateWorld.staged.b = refuseConnection;
    expect((await catchFailure(readAccounts(lateWorld))).code).toBe("upstream_unavailable");
    expect(listAskedNodes(lateWorld).filter((name) => name === "a")).toHaveLength(2);
    expect(lateWorld.receivedCalls.filter(({ node, method }) => node === "a" && method !== "getGenesisHash")).toEqual(
      [],
    );
  });

  test("runs on the first call when no node was reachable at the start", async () => {
    const lateWorld = world({ a: refuseConnection });
    await lateWorld.nodes.check();
    lateWorld.staged.a = of(GENESIS, "a");
    expect(await readAccounts(lateWorld)).toBe("a");
    expect(lateWorld.receivedCalls.map(({ method }) => method)).toEqual([
      "getGenesisHash",
      "getGenesisHash",
      "getMultipleAccounts",
    ]);
  });

  test("is optional for a node that only takes transactions", async () => {
    const mute: StagedNode = () => ({ error: { code: -32601, message: "" } });
    const sending = createStagedNodes(
      { a: of(GENESIS, "a"), s: mute },
      { genesisHash: GENESIS, readUrls: ["http://a"], sendUrls: ["http://s"] },
    );
    expect(await sending.nodes.check()).toEqual([]);
  });
});
