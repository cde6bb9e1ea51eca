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

/** Limits as in production, but checked at a short interval. */
const LIMITS = { keepAliveTimeout: 60_000, requestTimeout: 60_000, connectionsCheckingInterval: 20 };

/** Sets the time within which a request must arrive completely. */
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
  /** Waits for the answer with this number; the first is 1. */
  const whole = async (count: number) => {
    while (received.split("whole").length <= count) await once(socket, "data");
  };
  return { socket, received: () => received, whole, closed: once(socket, "close") };
}

const answerAtOnce: RequestListener = (request, response) => {
  request.on("end", () => response.end("whole")).resume();
};

const GET = "GET /api/plans HTTP/1.1\r\n\r\n";

/** Starts a request whose endless body arrives one byte at a time. */
function startDripping(server: Server) {
  const connection = connectTo(server);
  connection.socket.write("POST /api/wrap HTTP/1.1\r\ncontent-length: 16000\r\n\r\n");
  const drops = setInterval(() => connection.socket.write("x"), 10);
  void connection.closed.then(() => clearInterval(drops));
  return connection;
}

test("keeps idle connections longer than the 60 s of load balancers, and limits a request to 30 s", async () => {
  const server = await open(answerAtOnce);
  expect(server.keepAliveTimeout).toBeGreaterThan(60_000);
  expect(server.requestTimeout).toBeLessThanOrEqual(25_000);
  expect(server.headersTimeout).toBeLessThanOrEqual(server.requestTimeout);
});

test("answers a slow body with 408 and keeps idle connections open", async () => {
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

test("disconnects a client that sends its request head too slowly", async () => {
  const server = await open(answerAtOnce, LIMITS);
  allow(server, 150);
  const slow = connectTo(server);
  slow.socket.write("GET /api/plans HTTP/1.1\r\nx-slow: ");
  await slow.closed;
  expect(slow.received()).toMatch(/^HTTP\/1\.1 408 /);
  expect(slow.received()).toContain('"code":"request_timeout"');
});

test("closes each connection after its answer while the process is shutting down", async () => {
  const server = await open(answerAtOnce);
  ending = true;
  const one = connectTo(server);
  one.socket.write(GET);
  await one.closed;
  expect(one.received()).toMatch(/connection: close/i);
  expect(one.received()).toMatch(/whole$/);
});

test("waits for the answer in flight when draining, but not for the keep-alive", async () => {
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
