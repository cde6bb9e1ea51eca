import { expect, test } from "vitest";
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
/** Returns which node was sent which transaction, in order. */
const listSends = ({ receivedCalls }: ReturnType<typeof createStagedNodes>) =>
  receivedCalls.map(({ node, params }) => `${node}${Buffer.from(params[0] as string, "base64")[0]}`);

test("the pool sends a transaction unchanged and without preflight to every sending node", async () => {
  const pool = createStagedNodes({ a: acceptSend, s: acceptSend, t: acceptSend }, SENDERS);
  await pool.nodes.send(Uint8Array.of(1, 2, 3));
  const params = ["AQID", { encoding: "base64", skipPreflight: true, maxRetries: 0 }];
  expect(pool.receivedCalls).toEqual(["s", "t"].map((node) => ({ node, method: "sendTransaction", params })));
});

test("the pool sends through the first reachable read node when there are no sending nodes", async () => {
  const pool = createStagedNodes({ a: refuseConnection, b: acceptSend, c: acceptSend });
  await pool.nodes.send(createBytes(1));
  expect(listSends(pool)).toEqual(["a1", "b1"]);
});

test("repeated sends rotate through the read nodes, so that no single node can block a transaction", async () => {
  const pool = createStagedNodes({ a: acceptSend, b: acceptSend, c: acceptSend });
  const [firstBytes, secondBytes] = [createBytes(1), createBytes(2)];
  for (const bytes of [firstBytes, firstBytes, secondBytes, firstBytes, firstBytes]) await pool.nodes.send(bytes);
  expect(listSends(pool)).toEqual(["a1", "b1", "a2", "c1", "a1"]);
});

test("a send resolves when the first node accepts it, and fails when no node does", async () => {
  const pool = createStagedNodes({ a: acceptSend, s: acceptSend, t: acceptSend }, SENDERS);
  pool.staged.s = pool.hang;
  await pool.nodes.send(createBytes(1));
  pool.staged.t = () => createReply(500);
  const failure = catchAppError(pool.nodes.send(createBytes(1)));
  await pool.clock.advance(5_000);
  expect((await failure).code).toMatch(/^upstream_/);
});

test("the pool sends nothing to a busy node until its wait is over", async () => {
  const pool = createStagedNodes(
    { a: acceptSend, s: () => createReply(429, { "retry-after": "9" }), t: acceptSend },
    SENDERS,
  );
  for (let i = 1; i <= 3; i++) await pool.nodes.send(createBytes(i));
  expect(listSends(pool)).toEqual(["s1", "t1", "t2", "t3"]);
  pool.staged.s = acceptSend;
  await pool.clock.advance(9_000);
  await pool.nodes.send(createBytes(4));
  expect(listSends(pool).slice(4)).toEqual(["s4", "t4"]);
});

test("the pool limits sends per node and second: first sends go before repeats, then earlier expiry", async () => {
  const pool = createStagedNodes({ a: acceptSend, s: acceptSend, t: acceptSend }, { ...SENDERS, sendsPerSecond: 2 });
  const [firstBytes, secondBytes, thirdBytes] = [createBytes(1), createBytes(2), createBytes(3)];
  void pool.nodes.send(firstBytes, 100);
  await pool.clock.advance(0);
  void pool.nodes.send(firstBytes, 100);
  void pool.nodes.send(thirdBytes, 300);
  void pool.nodes.send(createBytes(9));
  void pool.nodes.send(secondBytes, 200);
  await pool.clock.advance(499);
  expect(listSends(pool)).toEqual(["s1", "t1"]);
  await pool.clock.advance(1);
  expect(listSends(pool)).toEqual(["s1", "t1", "s2", "t2"]);
  await pool.clock.advance(1_500);
  expect(listSends(pool).filter((entry) => entry.startsWith("s"))).toEqual(["s1", "s2", "s3", "s9", "s1"]);
});

test("a waiting transaction is queued only once", async () => {
  const pool = createStagedNodes({ a: acceptSend }, { sendsPerSecond: 1 });
  const [firstBytes, secondBytes] = [createBytes(1), createBytes(2)];
  await pool.nodes.send(firstBytes);
  for (let i = 0; i < 5; i++) void pool.nodes.send(secondBytes);
  await pool.clock.advance(10_000);
  expect(listSends(pool)).toEqual(["a1", "a2"]);
});

test("the pool drops a transaction that lands or expires while queued, without using up a turn", async () => {
  const pool = createStagedNodes({ a: acceptSend }, { sendsPerSecond: 1 });
  await pool.nodes.send(createBytes(1));
  let shouldSend = true;
  const expiredSend = catchAppError(pool.nodes.send(createBytes(2), 100, () => shouldSend));
  void pool.nodes.send(createBytes(3), 200);
  shouldSend = false;
  await pool.clock.advance(1_000);
  expect(listSends(pool)).toEqual(["a1", "a3"]);
  expect((await expiredSend).code).toBe("upstream_unavailable");
  const unwantedSend = catchAppError(pool.nodes.send(createBytes(4), 100, () => false));
  await pool.clock.advance(1_000);
  expect((await unwantedSend).code).toBe("upstream_unavailable");
  await pool.nodes.send(createBytes(5));
  expect(listSends(pool)).toEqual(["a1", "a3", "a5"]);
});
