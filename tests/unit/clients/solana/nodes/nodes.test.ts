import { describe, expect, test } from "vitest";
import { z } from "zod";
import { toTransactionError } from "../../../../../lib/clients/solana/json-rpc";
import {
  createReply,
  createResultAt,
  createStagedNodes,
  refuseConnection,
  type StagedNode,
} from "../../../../support/fakes/staged-nodes";
import { catchAppError } from "../../../../support/fakes/staged-rpc";

type Pool = ReturnType<typeof createStagedNodes>;

const Answer = z.object({ value: z.unknown() });
/** Makes a read that returns the name of the node that answered. */
const readName = async ({ nodes }: Pool, method = "getMultipleAccounts") =>
  (await nodes.rpc.call(method, [], Answer, { maxBytes: 1_000 })).value;
/** Makes a read that must fail. Returns the code of the failure. */
const readFailureCode = async (pool: Pool) => (await catchAppError(readName(pool))).code;

const SLOT = 1_000_000;
/** Creates a node that is this many slots behind. A negative number means that it is ahead. */
const createLaggingNode =
  (lagSlots: number, name: string): StagedNode =>
  ({ method }) =>
    method === "getSlot" ? { result: SLOT - lagSlots } : createResultAt(SLOT - lagSlots, name);
const createNode = (name: string) => createLaggingNode(0, name);
/** Creates a pool of the nodes a, b and c. @param staged replaces some of them */
const createPoolOfThree = (staged: Record<string, StagedNode> = {}) =>
  createStagedNodes({ a: createNode("a"), b: createNode("b"), c: createNode("c"), ...staged });
/** Returns the names of the nodes that were read, in order. Probes do not count. */
const listReads = ({ receivedCalls }: Pool) =>
  receivedCalls.filter(({ method }) => method !== "getSlot").map(({ node }) => node);
const countProbes = ({ receivedCalls }: Pool, name: string) =>
  receivedCalls.filter(({ node, method }) => node === name && method === "getSlot").length;
const listStates = ({ nodes }: Pool) => nodes.report().map(({ state }) => state);

describe("a pool of nodes", () => {
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
  ])("uses the next node when the first %s", async (_caseName, stage) => {
    const pool = createPoolOfThree({ a: stage });
    expect(await readName(pool)).toBe("b");
    expect(listReads(pool)).toEqual(["a", "b"]);
  });

  test("asks no other node when the request itself is wrong", async () => {
    const pool = createPoolOfThree({ a: () => ({ error: { code: -32602, message: "Invalid params" } }) });
    for (let i = 0; i < 9; i++) expect(await readFailureCode(pool)).toBe("upstream_invalid");
    expect(listReads(pool)).toEqual(Array(9).fill("a"));
    expect(listStates(pool)).toEqual(["up", "up", "up"]);
  });

  test("asks the next node before it reports a transaction as refused", async () => {
    const refuseTransaction: StagedNode = () => ({
      error: { code: -32602, message: "address table account that doesn't exist" },
    });
    const pool = createPoolOfThree({ a: refuseTransaction });
    const options = { maxBytes: 1_000, toAppError: toTransactionError };
    const simulate = () => pool.nodes.rpc.call("simulateTransaction", [], Answer, options);
    expect(await simulate()).toEqual({ value: "b" });
    pool.staged.b = pool.staged.c = refuseTransaction;
    expect((await catchAppError(simulate())).code).toBe("simulation_failed");
  });
});

test("a node that fails 5 times in a row is used again after a rest of 10 s and a successful probe", async () => {
  const pool = createPoolOfThree({ a: refuseConnection });
  for (let i = 0; i < 7; i++) expect(await readName(pool)).toBe("b");
  expect(listReads(pool).filter((name) => name === "a")).toHaveLength(5);
  expect(listStates(pool)[0]).toBe("failing");
  await pool.clock.advance(9_999);
  await readName(pool);
  expect(countProbes(pool, "a")).toBe(0);
  await pool.clock.advance(1_000);
  await Promise.all([readName(pool), readName(pool)]);
  await pool.clock.advance(0);
  expect(countProbes(pool, "a")).toBe(1);
  pool.staged.a = createNode("a");
  await pool.clock.advance(20_000);
  // The call that starts the probe does not wait for it.
  expect(await readName(pool)).toBe("b");
  await pool.clock.advance(0);
  expect(await readName(pool)).toBe("a");
  expect(pool.notices).toEqual(["rpc 1 is failing.", "rpc 1 is up."]);
});

test.each([
  [30, 10_000],
  [300, 29_000],
])("a busy node rests for its Retry-After of %i s, at most 30 s, even if it is alone", async (seconds, waitedMs) => {
  const pool = createStagedNodes({ a: () => createReply(429, { "retry-after": `${seconds}` }) });
  expect((await catchAppError(readName(pool))).details.retryAfterSeconds).toBe(30);
  await pool.clock.advance(waitedMs);
  expect((await catchAppError(readName(pool))).details.retryAfterSeconds).toBe(30 - waitedMs / 1_000);
  expect(listReads(pool)).toEqual(["a"]);
  pool.staged.a = createNode("a");
  await pool.clock.advance(30_000 - waitedMs);
  expect(await readName(pool)).toBe("a");
});

describe("a node that lags", () => {
  test("is not used while it is more than 25 slots behind", async () => {
    const pool = createPoolOfThree();
    await readName(pool);
    pool.staged.a = createLaggingNode(26, "a");
    expect([await readName(pool), await readName(pool)]).toEqual(["b", "b"]);
    expect(pool.nodes.report()[0]).toMatchObject({ position: 1, state: "lagging", lagSlots: 26 });
    await pool.clock.advance(10_000);
    expect(await readName(pool)).toBe("b");
    await pool.clock.advance(20_000);
    pool.staged.a = createLaggingNode(25, "a");
    await readName(pool);
    await pool.clock.advance(0);
    expect(await readName(pool)).toBe("a");
  });

  test("fails the call when it is the only node", async () => {
    const pool = createStagedNodes({ a: createNode("a") });
    await readName(pool);
    pool.staged.a = createLaggingNode(26, "a");
    expect(await readFailureCode(pool)).toBe("upstream_unavailable");
    // The call is repeated, because another node behind a load balancer may give the next answer.
    expect(listReads(pool)).toEqual(["a", "a", "a"]);
  });

  test("is not used for a call whose answer shows no slot", async () => {
    const pool = createPoolOfThree();
    await readName(pool);
    pool.staged.a = createLaggingNode(100, "a");
    await readName(pool);
    expect(await readName(pool, "getSignaturesForAddress")).toBe("b");
  });
});

test("an impossibly high slot of one node does not make the other nodes lag", async () => {
  const pool = createPoolOfThree();
  await readName(pool);
  pool.staged.a = createLaggingNode(-5_000_000, "a");
  await readName(pool);
  pool.staged.a = refuseConnection;
  expect(await readName(pool)).toBe("b");
});

test("the pool's time limits give a call 5 s in all and a hanging node 2 s of them while another is up", async () => {
  const pool = createPoolOfThree();
  pool.staged.a = pool.hang;
  const firstRead = readName(pool);
  await pool.clock.advance(2_000);
  expect(await firstRead).toBe("b");
  pool.staged.b = pool.staged.c = pool.hang;
  const earlierReadCount = listReads(pool).length;
  const read = catchAppError(readName(pool));
  await pool.clock.advance(5_000);
  expect((await read).code).toBe("upstream_timeout");
  expect(listReads(pool).slice(earlierReadCount)).toEqual(["b", "c"]);
});

describe("the network check", () => {
  const GENESIS = "genesis of the right network";
  const createNodeOf =
    (genesisHash: string, name: string): StagedNode =>
    (call, timeoutMs) =>
      call.method === "getGenesisHash" ? { result: genesisHash } : createNode(name)(call, timeoutMs);
  const createCheckedPool = (staged: Record<string, StagedNode>) => createStagedNodes(staged, { genesisHash: GENESIS });

  test("reports nodes on another network and nodes that do not answer, by position", async () => {
    const pool = createCheckedPool({
      a: createNodeOf(GENESIS, "a"),
      b: createNodeOf("other", "b"),
      c: refuseConnection,
    });
    expect(await pool.nodes.check()).toEqual([
      { use: "read", position: 2, network: "wrong" },
      { use: "read", position: 3, network: "unknown" },
    ]);
    expect(listStates(pool)).toEqual(["up", "wrong network", "unchecked"]);
  });

  test("is repeated when a node's slot leaps", async () => {
    const movedNode: StagedNode = (call) =>
      call.method === "getGenesisHash" ? { result: "other" } : createResultAt(SLOT + 9_000_000, "of another chain");
    for (const names of [["a"], ["a", "b"]]) {
      const pool = createCheckedPool(Object.fromEntries(names.map((name) => [name, createNodeOf(GENESIS, name)])));
      await pool.nodes.check();
      await pool.clock.advance(61_000);
      expect(await readName(pool)).toBe("a");
      pool.staged.a = movedNode;
      if (names.length > 1) expect(await readName(pool)).toBe("b");
      else expect(await readFailureCode(pool)).toBe("upstream_unavailable");
      await readName(pool).catch(() => {});
      await pool.clock.advance(60_000);
      await readName(pool).catch(() => {});
      await pool.clock.advance(0);
      expect(listStates(pool)[0]).toBe("wrong network");
    }
  });

  test("precedes a node's first use", async () => {
    const pool = createCheckedPool({ a: refuseConnection, b: createNodeOf(GENESIS, "b") });
    await pool.nodes.check();
    pool.staged.a = createNodeOf("other", "a");
    await pool.clock.advance(20_000);
    expect(await readName(pool)).toBe("b");
    await pool.clock.advance(0);
    expect(listStates(pool)).toEqual(["wrong network", "up"]);
    pool.staged.b = refuseConnection;
    expect((await catchAppError(readName(pool))).code).toBe("upstream_unavailable");
    expect(listReads(pool).filter((name) => name === "a")).toHaveLength(2);
    expect(pool.receivedCalls.filter(({ node, method }) => node === "a" && method !== "getGenesisHash")).toEqual([]);
  });

  test("is optional for a node that only takes transactions", async () => {
    const staged = { a: createNodeOf(GENESIS, "a"), s: () => ({ error: { code: -32601, message: "" } }) };
    const options = { genesisHash: GENESIS, readUrls: ["http://a"], sendUrls: ["http://s"] };
    expect(await createStagedNodes(staged, options).nodes.check()).toEqual([]);
  });
});
