import { describe, expect, test } from "vitest";
import { z } from "zod";
import { toTransactionError } from "../../../../../lib/clients/solana/json-rpc";
import type { AppError } from "../../../../../lib/errors";
import { refuse, reply, resultAt, type StagedNode, stagedNodes } from "../../../../support/fakes/staged-nodes";

type World = ReturnType<typeof stagedNodes>;

const Answer = z.object({ value: z.unknown() });
/** A read that returns the name of the node that answered. */
const read = async ({ nodes }: World, method = "getMultipleAccounts") =>
  (await nodes.rpc.call(method, [], Answer, { maxBytes: 1_000 })).value;
const failureOf = (pending: Promise<unknown>): Promise<AppError> =>
  pending.then(
    () => expect.unreachable(),
    (error) => error,
  );

const SLOT = 1_000_000;
const good =
  (name: string): StagedNode =>
  ({ method }) =>
    method === "getSlot" ? { result: SLOT } : resultAt(SLOT, name);
const asked = ({ seen }: World) => seen.filter(({ method }) => method !== "getSlot").map(({ node }) => node);
const probed = ({ seen }: World) => seen.filter(({ method }) => method === "getSlot").map(({ node }) => node);
const three = () => stagedNodes({ a: good("a"), b: good("b"), c: good("c") });
const stateOf = ({ nodes }: World) => nodes.report().map(({ state }) => state);

describe("the choice of a node", () => {
  test("uses the first node while it answers", async () => {
    const world = three();
    for (let i = 0; i < 5; i++) expect(await read(world)).toBe("a");
    expect(asked(world)).toEqual(Array(5).fill("a"));
  });

  test.each<[string, StagedNode]>([
    ["is not reachable", refuse],
    ["answers 500", () => reply(500)],
    ["answers 401", () => reply(401)],
    ["answers 429", () => reply(429)],
    ["answers no JSON", () => reply(200, {}, "<html>")],
    ["returns an unexpected result", () => ({ result: "none" })],
    ["does not have the method", () => ({ error: { code: -32601, message: "Method not found" } })],
    ["returns an unknown error", () => ({ error: { code: -32052, message: "API key is not allowed" } })],
    ...[429, -32005, -32012, -32016, -32019, -32090, -32429, -32603].map((code): [string, StagedNode] => [
      `answers ${code}`,
      () => ({ error: { code, message: "" } }),
    ]),
  ])("uses the next node when the first %s", async (_what, stage) => {
    const world = three();
    world.staged.a = stage;
    expect(await read(world)).toBe("b");
    expect(asked(world)).toEqual(["a", "b"]);
  });

  test("does not ask another node, or blame this one, when the request itself is wrong", async () => {
    const world = three();
    world.staged.a = () => ({ error: { code: -32602, message: "Invalid params" } });
    for (let i = 0; i < 9; i++) expect((await failureOf(read(world))).code).toBe("upstream_invalid");
    expect(asked(world)).toEqual(Array(9).fill("a"));
    expect(stateOf(world)).toEqual(["up", "up", "up"]);
  });

  test("asks each node once when all fail, and reports an upstream failure", async () => {
    const world = stagedNodes({ a: refuse, b: () => reply(500), c: () => reply(429, { "retry-after": "7" }) });
    const { code, details } = await failureOf(read(world));
    expect([code, details.retryAfterSeconds]).toEqual(["upstream_unavailable", 7]);
    expect(asked(world)).toEqual(["a", "b", "c"]);
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
    expect((await failureOf(simulation(world))).code).toBe("simulation_failed");
  });
});

describe("a node that fails 5 times in a row", () => {
  test("rests for 10 s, is probed once, and is used again after a successful probe", async () => {
    const world = three();
    world.staged.a = refuse;
    for (let i = 0; i < 7; i++) expect(await read(world)).toBe("b");
    expect(asked(world).filter((name) => name === "a")).toHaveLength(5);
    expect(stateOf(world)[0]).toBe("failing");
    await world.clock.advance(9_999);
    await read(world);
    expect(probed(world).filter((name) => name === "a")).toEqual([]);
    await world.clock.advance(1_000);
    await Promise.all([read(world), read(world)]);
    await world.clock.advance(0);
    expect(probed(world).filter((name) => name === "a")).toHaveLength(1);
    world.staged.a = good("a");
    await world.clock.advance(20_000);
    // The call that starts the probe does not wait for it.
    expect(await read(world)).toBe("b");
    await world.clock.advance(0);
    expect(await read(world)).toBe("a");
    expect(world.notices).toEqual(["rpc 1 is failing.", "rpc 1 is up."]);
  });

  test("rests twice as long after each failed probe, up to 5 minutes, plus a random part", async () => {
    const lengthsOf = async (random: number) => {
      const world = stagedNodes({ a: refuse, b: good("b") }, { random: { bytes: () => Uint8Array.of(random) } });
      for (let i = 0; i < 5; i++) await read(world);
      const rests: number[] = [];
      let last = world.clock.now();
      while (rests.length < 8) {
        await world.clock.advance(1_000);
        const before = probed(world).filter((name) => name === "a").length;
        await read(world);
        if (probed(world).filter((name) => name === "a").length === before) continue;
        rests.push((world.clock.now() - last) / 1000);
        last = world.clock.now();
      }
      return rests;
    };
    expect(await lengthsOf(0)).toEqual([10, 20, 40, 80, 160, 300, 300, 300]);
    expect((await lengthsOf(255)).slice(0, 3)).toEqual([13, 25, 50]);
  });

  test("does not rest when an answer came in between", async () => {
    const world = three();
    for (let i = 0; i < 20; i++) {
      world.staged.a = i % 5 === 4 ? good("a") : refuse;
      await read(world);
    }
    expect(stateOf(world)[0]).toBe("up");
  });

  test("is asked during its rest when no node is up, and after it the next resting node", async () => {
    const world = stagedNodes({ a: refuse, b: refuse });
    for (let minute = 0; minute < 60; minute++) {
      expect((await failureOf(read(world))).code).toBe("upstream_unavailable");
      await world.clock.advance(60_000);
    }
    expect(stateOf(world)).toEqual(["failing", "failing"]);
    await failureOf(read(world));
    world.staged.b = good("b");
    expect(await read(world)).toBe("b");
    expect(await read(world)).toBe("b");
  });

  test("is not followed by a busy node", async () => {
    const world = stagedNodes({ a: refuse, b: () => reply(429) });
    for (let i = 0; i < 5; i++) await failureOf(read(world));
    await world.clock.advance(0);
    const before = asked(world).length;
    for (let i = 0; i < 5; i++) await failureOf(read(world));
    expect(asked(world).slice(before)).toEqual(Array(5).fill("a"));
  });

  test("is asked during its rest when it is the only node", async () => {
    const world = stagedNodes({ a: refuse });
    for (let i = 0; i < 10; i++) expect((await failureOf(read(world))).code).toBe("upstream_unavailable");
    world.staged.a = good("a");
    expect(await read(world)).toBe("a");
  });
});

describe("a node that is busy", () => {
  test("rests for a second, twice as long the next time, and is used again without a probe", async () => {
    const world = three();
    world.staged.a = () => reply(429);
    expect([await read(world), await read(world)]).toEqual(["b", "b"]);
    expect(asked(world)).toEqual(["a", "b", "b"]);
    await world.clock.advance(1_000);
    await read(world);
    await world.clock.advance(1_000);
    await read(world);
    expect(asked(world).filter((name) => name === "a")).toHaveLength(2);
    world.staged.a = good("a");
    await world.clock.advance(1_000);
    expect(await read(world)).toBe("a");
  });

  test.each([
    [30, 10_000],
    [300, 29_000],
  ])("rests for its Retry-After of %i s but at most 30 s, even as the only node", async (seconds, waitedMs) => {
    const world = stagedNodes({ a: () => reply(429, { "retry-after": `${seconds}` }) });
    expect((await failureOf(read(world))).details.retryAfterSeconds).toBe(30);
    await world.clock.advance(waitedMs);
    expect((await failureOf(read(world))).details.retryAfterSeconds).toBe(30 - waitedMs / 1_000);
    expect(asked(world)).toEqual(["a"]);
    world.staged.a = good("a");
    await world.clock.advance(30_000 - waitedMs);
    expect(await read(world)).toBe("a");
  });
});

describe("a node that lags", () => {
  const lagging =
    (slots: number, name: string): StagedNode =>
    ({ method }) =>
      method === "getSlot" ? { result: SLOT - slots } : resultAt(SLOT - slots, name);

  test("by more than 25 slots is not used until it has caught up", async () => {
    const world = three();
    await read(world);
    world.staged.a = lagging(26, "a");
    expect([await read(world), await read(world)]).toEqual(["b", "b"]);
    expect(world.nodes.report()[0]).toMatchObject({ position: 1, state: "lagging", lagSlots: 26 });
    await world.clock.advance(10_000);
    expect(await read(world)).toBe("b");
    await world.clock.advance(20_000);
    world.staged.a = lagging(25, "a");
    await read(world);
    await world.clock.advance(0);
    expect(await read(world)).toBe("a");
  });

  test("fails the call when it is the only node", async () => {
    const world = stagedNodes({ a: good("a") });
    await read(world);
    world.staged.a = lagging(26, "a");
    expect((await failureOf(read(world))).code).toBe("upstream_unavailable");
    // Behind a load balancer, another node may give the next answer.
    expect(asked(world)).toEqual(["a", "a", "a"]);
  });

  test("is compared with the extrapolated newest slot when no other node is up", async () => {
    const world = stagedNodes({ a: good("a"), b: lagging(100, "b") });
    await read(world);
    world.staged.a = refuse;
    expect((await failureOf(read(world))).code).toBe("upstream_unavailable");
    world.staged.b = () => reply(429);
    expect((await failureOf(read(world))).code).toBe("upstream_unavailable");
    const behind = (slots: number): StagedNode => {
      const began = world.clock.now();
      return (call, ms) => lagging(slots - Math.floor((world.clock.now() - began) / 400), "b")(call, ms);
    };
    const tries = async (stage: StagedNode) => {
      world.staged.b = stage;
      for (let minutes = 0; minutes < 4; minutes++) {
        await world.clock.advance(60_000);
        await read(world).catch(() => {});
      }
      return read(world).catch((error) => error.code);
    };
    expect(await tries(behind(100))).toBe("upstream_unavailable");
    // The extrapolated newest slot.
    expect(await tries(behind(-600))).toBe("b");
  });

  test("after an outage is used alone once it reaches the extrapolated newest slot", async () => {
    const world = stagedNodes({ a: refuse, b: good("b") });
    for (let i = 0; i < 5; i++) await read(world);
    expect(stateOf(world)).toEqual(["failing", "up"]);
    world.staged.b = () => reply(429, { "retry-after": "30" });
    await failureOf(read(world));
    await world.clock.advance(20_000);
    world.staged.a = lagging(0, "a");
    expect((await failureOf(read(world))).code).toBe("upstream_unavailable");
    world.staged.a = lagging(-50, "a");
    expect(await read(world)).toBe("a");
  });

  test("stays at rest when an answer shows no slot", async () => {
    const world = three();
    await read(world);
    world.staged.a = lagging(100, "a");
    await read(world);
    expect(await read(world, "getSignaturesForAddress")).toBe("b");
  });

  test("is not inferred from one node's impossibly high slot", async () => {
    const world = three();
    await read(world);
    world.staged.a = lagging(-5_000_000, "a");
    await read(world);
    world.staged.a = refuse;
    expect(await read(world)).toBe("b");
  });

  test("is found by a probe when it has been idle for a while", async () => {
    const world = three();
    world.staged.b = lagging(100, "b");
    await read(world);
    await world.clock.advance(10_000);
    await read(world);
    await world.clock.advance(0);
    world.staged.a = refuse;
    expect(await read(world, "getSignaturesForAddress")).toBe("c");
    expect(stateOf(world)).toEqual(["up", "lagging", "up"]);
  });
});

describe("time limits", () => {
  test("gives a call 5 s in all, and a node that hangs 2 s of them while another is up", async () => {
    const world = three();
    world.staged.a = world.hang;
    const first = read(world);
    await world.clock.advance(2_000);
    expect(await first).toBe("b");
    world.staged.b = world.staged.c = world.hang;
    const began = asked(world).length;
    const pending = failureOf(read(world));
    await world.clock.advance(5_000);
    expect((await pending).code).toBe("upstream_timeout");
    expect(asked(world).slice(began)).toEqual(["b", "c"]);
  });

  test("gives a node all 5 s without a retry when no other node is up", async () => {
    for (const names of [["a"], ["a", "b"]]) {
      const world = stagedNodes(Object.fromEntries(names.map((name) => [name, refuse])));
      for (let i = 0; i < 5; i++) await failureOf(read(world));
      world.staged.a = world.hang;
      const began = asked(world).length;
      const pending = failureOf(read(world));
      await world.clock.advance(4_999);
      expect(asked(world).slice(began)).toEqual(["a"]);
      await world.clock.advance(1);
      expect((await pending).code).toBe("upstream_timeout");
      expect(asked(world).slice(began)).toEqual(["a"]);
    }
  });

  test("gives the last node the remaining time", async () => {
    const world = three();
    let left = 0;
    world.staged.a = async () => {
      await world.clock.sleep(1_800);
      return reply(500);
    };
    world.staged.b = refuse;
    world.staged.c = (call, timeoutMs) => {
      left = timeoutMs;
      return good("c")(call, timeoutMs);
    };
    const pending = read(world);
    await world.clock.advance(1_800);
    expect([await pending, left]).toEqual(["c", 3_200]);
  });

  test("sends a hanging method to the next node at once, and keeps using this node for other methods", async () => {
    const world = three();
    world.staged.a = (call, timeoutMs) =>
      call.method === "getProgramAccounts" ? world.hang(call, timeoutMs) : resultAt(SLOT, "a");
    const hung = read(world, "getProgramAccounts");
    await world.clock.advance(2_000);
    await hung;
    expect(await read(world, "getProgramAccounts")).toBe("b");
    expect(await read(world)).toBe("a");
  });
});

describe("networks", () => {
  const GENESIS = "genesis of the right one";
  const of =
    (hash: string, name: string): StagedNode =>
    (call, ms) =>
      call.method === "getGenesisHash" ? { result: hash } : good(name)(call, ms);
  const world = (staged: Record<string, StagedNode>) => stagedNodes(staged, { genesisHash: GENESIS });

  test("check reports nodes on another network and nodes that do not answer, by position", async () => {
    const checked = world({ a: of(GENESIS, "a"), b: of("other", "b"), c: refuse });
    expect(await checked.nodes.check()).toEqual([
      { use: "read", position: 2, network: "wrong" },
      { use: "read", position: 3, network: "unknown" },
    ]);
    expect(stateOf(checked)).toEqual(["up", "wrong network", "unchecked"]);
  });

  test("checks a node's network again when its slot leaps", async () => {
    const moved: StagedNode = (call) =>
      call.method === "getGenesisHash" ? { result: "other" } : resultAt(SLOT + 9_000_000, "of another chain");
    for (const names of [["a"], ["a", "b"]]) {
      const staged = world(Object.fromEntries(names.map((name) => [name, of(GENESIS, name)])));
      await staged.nodes.check();
      await staged.clock.advance(61_000);
      expect(await read(staged)).toBe("a");
      staged.staged.a = moved;
      if (names.length > 1) expect(await read(staged)).toBe("b");
      else expect((await failureOf(read(staged))).code).toBe("upstream_unavailable");
      await read(staged).catch(() => {});
      await staged.clock.advance(60_000);
      await read(staged).catch(() => {});
      await staged.clock.advance(0);
      expect(stateOf(staged)[0]).toBe("wrong network");
    }
  });

  test("checks a node's network before its first use", async () => {
    const late = world({ a: refuse, b: of(GENESIS, "b") });
    await late.nodes.check();
    late.staged.a = of("other", "a");
    await late.clock.advance(20_000);
    expect(await read(late)).toBe("b");
    await late.clock.advance(0);
    expect(stateOf(late)).toEqual(["wrong network", "up"]);
    late.staged.b = refuse;
    expect((await failureOf(read(late))).code).toBe("upstream_unavailable");
    expect(asked(late).filter((name) => name === "a")).toHaveLength(2);
    expect(late.seen.filter(({ node, method }) => node === "a" && method !== "getGenesisHash")).toEqual([]);
  });

  test("checks the network on the first call when no node was reachable at the start", async () => {
    const late = world({ a: refuse });
    await late.nodes.check();
    late.staged.a = of(GENESIS, "a");
    expect(await read(late)).toBe("a");
    expect(late.seen.map(({ method }) => method)).toEqual(["getGenesisHash", "getGenesisHash", "getMultipleAccounts"]);
  });

  test("does not require a network from a node that only takes transactions", async () => {
    const mute: StagedNode = () => ({ error: { code: -32601, message: "" } });
    const sending = stagedNodes(
      { a: of(GENESIS, "a"), s: mute },
      { genesisHash: GENESIS, readUrls: ["http://a"], sendUrls: ["http://s"] },
    );
    expect(await sending.nodes.check()).toEqual([]);
  });
});
