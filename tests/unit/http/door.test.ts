import { once } from "node:events";
import type { RequestListener, Server, ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createDoor, drain } from "../../../lib/http/door";

let ending = false;
const opened: { server?: Server; sockets: Socket[] } = { sockets: [] };
afterEach(() => {
  ending = false;
  for (const socket of opened.sockets.splice(0)) socket.destroy();
  opened.server?.close();
});

/** As in earnest, but that a change of them is seen soon. */
const LIMITS = { keepAliveTimeout: 60_000, requestTimeout: 60_000, connectionsCheckingInterval: 20 };

/** For a request to arrive whole. */
function allow(server: Server, ms: number): void {
  server.requestTimeout = ms;
  server.headersTimeout = ms;
}

async function open(serveApi: RequestListener, limits?: typeof LIMITS): Promise<Server> {
  const server = createDoor({ serveApi, servePage: serveApi, isEnding: () => ending, ...(limits && { limits }) });
  opened.server = server;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

function connectTo(server: Server) {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  opened.sockets.push(socket);
  socket.on("error", () => {});
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk;
  });
  /** Waits for the answer of that number, the first is 1. */
  const whole = async (count: number) => {
    while (received.split("whole").length <= count) await once(socket, "data");
  };
  return { socket, received: () => received, whole, closed: once(socket, "close") };
}

const answerAtOnce: RequestListener = (request, response) => {
  request.on("end", () => response.end("whole")).resume();
};

const GET = "GET /api/plans HTTP/1.1\r\n\r\n";

/** A request whose body comes a byte at a time, and never ends. */
function startDripping(server: Server) {
  const connection = connectTo(server);
  connection.socket.write("POST /api/wrap HTTP/1.1\r\ncontent-length: 16000\r\n\r\n");
  const drops = setInterval(() => connection.socket.write("x"), 10);
  void connection.closed.then(() => clearInterval(drops));
  return connection;
}

test("in earnest an idle connection outlives the 60 s of load balancers, and a request arrives within 30 s or not at all", async () => {
  const server = await open(answerAtOnce);
  expect(server.keepAliveTimeout).toBeGreaterThan(60_000);
  expect(server.requestTimeout).toBeLessThanOrEqual(25_000);
  expect(server.headersTimeout).toBeLessThanOrEqual(server.requestTimeout);
});

test("a body that drips in is cut off with 408, and an idle connection is not", async () => {
  const server = await open(answerAtOnce, LIMITS);
  const idle = connectTo(server);
  idle.socket.write(GET);
  await idle.whole(1);
  allow(server, 150);
  const dripping = startDripping(server);
  await dripping.closed;
  expect(dripping.received()).toMatch(/^HTTP\/1\.1 408 /);
  allow(server, LIMITS.requestTimeout);
  idle.socket.write(GET);
  await idle.whole(2);
});

test("a head that drips in is cut off too", async () => {
  const server = await open(answerAtOnce, LIMITS);
  allow(server, 150);
  const slow = connectTo(server);
  slow.socket.write("GET /api/plans HTTP/1.1\r\nx-slow: ");
  await slow.closed;
  expect(slow.received()).toMatch(/^HTTP\/1\.1 408 /);
  expect(slow.received()).toContain('"code":"request_timeout"');
});

test("while the process ends, an answer is the last one on its connection", async () => {
  const server = await open(answerAtOnce);
  ending = true;
  const one = connectTo(server);
  one.socket.write(GET);
  await one.closed;
  expect(one.received()).toMatch(/connection: close/i);
  expect(one.received()).toMatch(/whole$/);
});

test("draining waits for the answer under way, and not for the connection's keep-alive", async () => {
  let begin = (_response: ServerResponse) => {};
  const begun = new Promise<ServerResponse>((resolve) => {
    begin = resolve;
  });
  const server = await open((_request, response) => begin(response));
  const one = connectTo(server);
  one.socket.write(GET);
  const underWay = await begun;
  let drained = false;
  const { port } = server.address() as AddressInfo;
  const draining = drain(server).then(() => {
    drained = true;
  });
  const refused = await once(connect(port, "127.0.0.1"), "connect").catch((error) => error);
  expect([refused.code, drained]).toEqual(["ECONNREFUSED", false]);
  underWay.end("late");
  await draining;
  await one.closed;
  expect(one.received()).toMatch(/late$/);
});
