import { expect, test } from "vitest";
import { SERVICE_ITSELF } from "../../../../../lib/clients/quota/quota-port";
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
