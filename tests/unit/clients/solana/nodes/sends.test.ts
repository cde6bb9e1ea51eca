import { expect, test } from "vitest";
import type { AppError } from "../../../../../lib/errors";
import {
  createReply,
  createStagedNodes,
  refuseConnection,
  type StagedNode,
} from "../../../../support/fakes/staged-nodes";

const accept: StagedNode = () => ({ result: "signature" });
const SENDERS = { sendUrls: ["http://s", "http://t"], readUrls: ["http://a"] };
const transaction = (byte: number) => Uint8Array.of(byte);
/** Returns which node was sent which transaction, in order. */
const listSends = ({ receivedCalls }: ReturnType<typeof createStagedNodes>) =>
  receivedCalls.map(({ node, params }) => `${node}${Buffer.from(params[0] as string, "base64")[0]}`);
const catchFailure = (promise: Promise<unknown>): Promise<AppError> =>
  promise.then(
    () => expect.unreachable(),
    (error) => error,
  );

test("sends a transaction unchanged and without preflight to every sending node", async () => {
  const world = createStagedNodes({ a: accept, s: accept, t: accept }, SENDERS);
  await world.nodes.send(Uint8Array.of(1, 2, 3));
  const params = ["AQID", { encoding: "base64", skipPreflight: true, maxRetries: 0 }];
  expect(world.receivedCalls).toEqual(["s", "t"].map((node) => ({ node, method: "sendTransaction", params })));
});

test("sends through the first reachable read node when there are no sending nodes", async () => {
  const world = createStagedNodes({ a: refuseConnection, b: accept, c: accept });
  await world.nodes.send(transaction(1));
  expect(listSends(world)).toEqual(["a1", "b1"]);
});

test("rotates through the read nodes on repeated sends, so a node that drops a transaction cannot block it", async () => {
  const world = createStagedNodes({ a: accept, b: accept, c: accept });
  const [first, second] = [transaction(1), transaction(2)];
  for (const bytes of [first, first, second, first, first]) await world.nodes.send(bytes);
  expect(listSends(world)).toEqual(["a1", "b1", "a2", "c1", "a1"]);
});

test("resolves when the first node accepts and fails when no node does", async () => {
  const world = createStagedNodes({ a: accept, s: accept, t: accept }, SENDERS);
  world.staged.s = world.hang;
  await world.nodes.send(transaction(1));
  world.staged.t = () => createReply(500);
  const nobody = catchFailure(world.nodes.send(transaction(1)));
  await world.clock.advance(5_000);
  expect((await nobody).code).toMatch(/^upstream_/);
});

test("sends nothing to a busy node until its wait is over", async () => {
  const world = createStagedNodes({ a: accept, s: () => createReply(429, { "retry-after": "9" }), t: accept }, SENDERS);
  for (let i = 1; i <= 3; i++) await world.nodes.send(transaction(i));
  expect(listSends(world)).toEqual(["s1", "t1", "t2", "t3"]);
  world.staged.s = accept;
  await world.clock.advance(9_000);
  await world.nodes.send(transaction(4));
  expect(listSends(world).slice(4)).toEqual(["s4", "t4"]);
});

test("limits sends per node and second: first sends go before repeats, then earlier expiry", async () => {
  const world = createStagedNodes({ a: accept, s: accept, t: accept }, { ...SENDERS, sendsPerSecond: 2 });
  const [first, second, third] = [transaction(1), transaction(2), transaction(3)];
  void world.nodes.send(first, 100);
  await world.clock.advance(0);
  void world.nodes.send(first, 100);
  void world.nodes.send(third, 300);
  void world.nodes.send(transaction(9));
  void world.nodes.send(second, 200);
  await world.clock.advance(499);
  expect(listSends(world)).toEqual(["s1", "t1"]);
  await world.clock.advance(1);
  expect(listSends(world)).toEqual(["s1", "t1", "s2", "t2"]);
  await world.clock.advance(1_500);
  expect(listSends(world).filter((entry) => entry.startsWith("s"))).toEqual(["s1", "s2", "s3", "s9", "s1"]);
});

test("queues a waiting transaction only once", async () => {
  const world = createStagedNodes({ a: accept }, { sendsPerSecond: 1 });
  const [first, second] = [transaction(1), transaction(2)];
  await world.nodes.send(first);
  for (let i = 0; i < 5; i++) void world.nodes.send(second);
  await world.clock.advance(10_000);
  expect(listSends(world)).toEqual(["a1", "a2"]);
});

test("drops a transaction that lands or expires while queued, without using up a turn", async () => {
  const world = createStagedNodes({ a: accept }, { sendsPerSecond: 1 });
  await world.nodes.send(transaction(1));
  let isWanted = true;
  const expiredSend = catchFailure(world.nodes.send(transaction(2), 100, () => isWanted));
  void world.nodes.send(transaction(3), 200);
  isWanted = false;
  await world.clock.advance(1_000);
  expect(listSends(world)).toEqual(["a1", "a3"]);
  expect((await expiredSend).code).toBe("upstream_unavailable");
  const unwantedSend = catchFailure(world.nodes.send(transaction(4), 100, () => false));
  await world.clock.advance(1_000);
  expect((await unwantedSend).code).toBe("upstream_unavailable");
  await world.nodes.send(transaction(5));
  expect(listSends(world)).toEqual(["a1", "a3", "a5"]);
});
