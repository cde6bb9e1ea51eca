import { once } from "node:events";
import type { RequestListener, Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createHttpServer } from "../../../lib/http/http-server";
import { sendResponse } from "../../../lib/http/node-door";
import { closeServer, listenOnFreePort } from "../../support/app/listen";

/** Limits in milliseconds, as long as in production, but checked every 20 ms. */
const TIME_LIMITS = { keepAliveTimeout: 60_000, requestTimeout: 60_000, connectionsCheckingInterval: 20 };

/** Sets the time within which a request must arrive completely. */
function setRequestTimeout(server: Server, timeoutMs: number): void {
  server.requestTimeout = timeoutMs;
  server.headersTimeout = timeoutMs;
}

async function openServer(serveApi: RequestListener, isEnding = false): Promise<Server> {
  const listeners = { serveApi, servePage: serveApi };
  const server = createHttpServer({ ...listeners, isEnding: () => isEnding, timeLimits: TIME_LIMITS });
  await listenOnFreePort(server);
  onTestFinished(() => closeServer(server));
  return server;
}

function connectTo(server: Server) {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => {});
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk;
  });
  /** Waits until this many answers, each of which ends with "whole", have arrived. */
  const waitForAnswers = async (count: number) => {
    while (received.split("whole").length <= count) await once(socket, "data");
  };
  // Not once(): it rejects on the reset that a client may get while it is sending.
  const closed = new Promise((resolve) => socket.once("close", resolve));
  return { socket, received: () => received, waitForAnswers, closed };
}

const answerWhole: RequestListener = (request, response) => {
  request.on("end", () => response.end("whole")).resume();
};

const PLANS_REQUEST = "GET /api/plans HTTP/1.1\r\n\r\n";

/** Sends this text and then one byte at a time, without an end. */
function startDripping(server: Server, text: string) {
  const connection = connectTo(server);
  connection.socket.write(text);
  const dripTimer = setInterval(() => connection.socket.write("x"), 10);
  void connection.closed.then(() => clearInterval(dripTimer));
  return connection;
}

const SLOW_BODY = "POST /api/wrap HTTP/1.1\r\ncontent-length: 16000\r\n\r\n";

test.each([
  ["head", "GET /api/plans HTTP/1.1\r\nx-slow: "],
  ["body", SLOW_BODY],
])("a slow %s gets status 408 while idle connections stay open", async (_caseName, text) => {
  const server = await openServer(answerWhole);
  const idleConnection = connectTo(server);
  idleConnection.socket.write(PLANS_REQUEST);
  await idleConnection.waitForAnswers(1);
  setRequestTimeout(server, 150);
  const slowConnection = startDripping(server, text);
  await slowConnection.closed;
  expect(slowConnection.received()).toMatch(/^HTTP\/1\.1 408 .*"code":"request_timeout"/s);
  setRequestTimeout(server, TIME_LIMITS.requestTimeout);
  idleConnection.socket.write(PLANS_REQUEST);
  await idleConnection.waitForAnswers(2);
});

test("a slow body is disconnected even after its answer", async () => {
  const answerEarly: RequestListener = (request, response) =>
    sendResponse(request, response, { status: 413, headers: {}, body: "whole" });
  const server = await openServer(answerEarly);
  setRequestTimeout(server, 150);
  const slowConnection = startDripping(server, SLOW_BODY);
  await slowConnection.closed;
  expect(slowConnection.received()).toMatch(/^HTTP\/1\.1 413 .*whole$/s);
});

test("each connection closes after its answer while the process shuts down", async () => {
  const server = await openServer(answerWhole, true);
  const connection = connectTo(server);
  connection.socket.write(PLANS_REQUEST);
  await connection.closed;
  expect(connection.received()).toMatch(/connection: close/i);
  expect(connection.received()).toMatch(/whole$/);
});
