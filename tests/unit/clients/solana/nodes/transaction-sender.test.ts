import { expect, test } from "vitest";
import { type QuotaUser, SERVICE_ITSELF } from "../../../../../lib/clients/quota/quota-port";
import {
  createReply,
  createStagedNodes,
  refuseConnection,
  type StagedNode,
} from "../../../../support/fakes/staged-nodes";
import { catchAppError } from "../../../../support/fakes/staged-rpc";

const acceptSend: StagedNode = () => ({ result: "signature" });
const SENDERS = { sendUrls: ["http://s", "http://t"], readUrls: ["http://a"] };
const createBytes = (byte: number) => Uint8Array.of(byte);
type StagedPool = ReturnType<typeof createStagedNodes>;
type SendLimits = [lastValidBlockHeight?: number, shouldSend?: () => boolean];
const send = ({ nodes }: StagedPool, transaction: Uint8Array, ...limits: SendLimits) =>
  nodes.send(SERVICE_ITSELF, transaction, ...limits);
/** Returns which node was sent which transaction, in order. */
const listSends = ({ receivedCalls }: StagedPool) =>
  receivedCalls.map(({ node, params }) => `${node}${Buffer.from(params[0] as string, "base64")[0]}`);

test("the pool sends a transaction unchanged and without preflight to every sending node", async () => {
  const pool = createStagedNodes({ a: acceptSend, s: acceptSend, t: acceptSend }, SENDERS);
  await send(pool, Uint8Array.of(1, 2, 3));
  const params = ["AQID", { encoding: "base64", skipPreflight: true, maxRetries: 0 }];
  expect(pool.receivedCalls).toEqual(["s", "t"].map((node) => ({ node, method: "sendTransaction", params })));
});

test("the pool sends through the first reachable read node when there are no sending nodes", async () => {
  const pool = createStagedNodes({ a: refuseConnection, b: acceptSend, c: acceptSend });
  await send(pool, createBytes(1));
  expect(listSends(pool)).toEqual(["a1", "b1"]);
});

test("repeated sends rotate through the read nodes, so that no single node can block a transaction", async () => {
  const pool = createStagedNodes({ a: acceptSend, b: acceptSend, c: acceptSend });
  const [firstBytes, secondBytes] = [createBytes(1), createBytes(2)];
  for (const bytes of [firstBytes, firstBytes, secondBytes, firstBytes, firstBytes]) await send(pool, bytes);
  expect(listSends(pool)).toEqual(["a1", "b1", "a2", "c1", "a1"]);
});

test("a send resolves when the first node accepts it, and fails when no node does", async () => {
  const pool = createStagedNodes({ a: acceptSend, s: acceptSend, t: acceptSend }, SENDERS);
  pool.staged.s = pool.hang;
  await send(pool, createBytes(1));
  pool.staged.t = () => createReply(500);
  const failure = catchAppError(send(pool, createBytes(1)));
  await pool.clock.advance(5_000);
  expect((await failure).code).toMatch(/^upstream_/);
});

test("the pool sends nothing to a busy node until its wait is over", async () => {
  const pool = createStagedNodes(
    { a: acceptSend, s: () => createReply(429, { "retry-after": "9" }), t: acceptSend },
    SENDERS,
  );
  for (let i = 1; i <= 3; i++) await send(pool, createBytes(i));
  expect(listSends(pool)).toEqual(["s1", "t1", "t2", "t3"]);
  pool.staged.s = acceptSend;
  await pool.clock.advance(9_000);
  await send(pool, createBytes(4));
  expect(listSends(pool).slice(4)).toEqual(["s4", "t4"]);
});

test("the pool limits sends per node and second: of one caller, first sends go before repeats, then earlier expiry", async () => {
  const pool = createStagedNodes({ a: acceptSend, s: acceptSend, t: acceptSend }, { ...SENDERS, sendsPerSecond: 2 });
  const [firstBytes, secondBytes, thirdBytes] = [createBytes(1), createBytes(2), createBytes(3)];
  void send(pool, firstBytes, 100);
  await pool.clock.advance(0);
  void send(pool, firstBytes, 100);
  void send(pool, thirdBytes, 300);
  void send(pool, createBytes(9));
  void send(pool, secondBytes, 200);
  await pool.clock.advance(499);
  expect(listSends(pool)).toEqual(["s1", "t1"]);
  await pool.clock.advance(1);
  expect(listSends(pool)).toEqual(["s1", "t1", "s2", "t2"]);
  await pool.clock.advance(1_500);
  expect(listSends(pool).filter((entry) => entry.startsWith("s"))).toEqual(["s1", "s2", "s3", "s9", "s1"]);
});

test("the pool drops a transaction that lands or expires while queued, without using up a turn", async () => {
  const pool = createStagedNodes({ a: acceptSend }, { sendsPerSecond: 1 });
  await send(pool, createBytes(1));
  let shouldSend = true;
  const expiredSend = catchAppError(send(pool, createBytes(2), 100, () => shouldSend));
  void send(pool, createBytes(3), 200);
  shouldSend = false;
  await pool.clock.advance(1_000);
  expect(listSends(pool)).toEqual(["a1", "a3"]);
  expect((await expiredSend).code).toBe("upstream_unavailable");
  const unwantedSend = catchAppError(send(pool, createBytes(4), 100, () => false));
  await pool.clock.advance(1_000);
  expect((await unwantedSend).code).toBe("upstream_unavailable");
  await send(pool, createBytes(5));
  expect(listSends(pool)).toEqual(["a1", "a3", "a5"]);
});

test("callers take turns, so nobody's early expiry goes before another caller's transaction", async () => {
  const pool = createStagedNodes({ a: acceptSend }, { sendsPerSecond: 2 });
  const createCaller = (kind: QuotaUser["kind"], id: string): QuotaUser => ({ priority: "money", kind, id });
  for (let i = 0; i < 12; i++)
    void pool.nodes.send(createCaller("address", `flooder ${i % 4}`), createBytes(i), 100 + i).catch(() => {});
  await pool.clock.advance(0);
  void pool.nodes.send(createCaller("address", "customer"), createBytes(50), 200);
  void pool.nodes.send(createCaller("static-key", "merchant"), createBytes(60), 300);
  void pool.nodes.send(createCaller("static-key", "merchant"), createBytes(61), 299);
  await pool.clock.advance(5_500);
  const sends = listSends(pool);
  expect(sends.slice(0, 4)).toEqual(["a0", "a61", "a1", "a60"]);
  // The customer's turn comes after the first turns of four flooders, each followed by a turn of a known one.
  expect(sends.indexOf("a50")).toBe(11);
});

test("the estimate of a send's wait counts the turns before it", async () => {
  const pool = createStagedNodes({ a: acceptSend }, { sendsPerSecond: 2 });
  const flooder: QuotaUser = { priority: "money", kind: "address", id: "flooder" };
  expect(pool.nodes.estimateSendMs(flooder, 100)).toBe(0);
  for (let i = 0; i < 10; i++) void pool.nodes.send(flooder, createBytes(i), 100 + i).catch(() => {});
  await pool.clock.advance(0);
  expect(pool.nodes.estimateSendMs(flooder, 200)).toBe(9 * 500);
  expect(pool.nodes.estimateSendMs(flooder, 102)).toBe(2 * 500);
  expect(pool.nodes.estimateSendMs({ ...flooder, kind: "static-key" }, 200)).toBe(500);
  expect(createStagedNodes({ a: acceptSend }).nodes.estimateSendMs(flooder, 100)).toBe(0);
});
