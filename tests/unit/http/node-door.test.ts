import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { NodeIncomingRequest, sendResponse } from "../../../lib/http/node-door";
import { closeServer, listenOnFreePort } from "../../support/app/listen";

/** Connects a caller and sends this text. Resolves with the request that the text begins. */
async function receiveRequest(
  sentText: string,
): Promise<{ caller: Socket; request: IncomingMessage; response: ServerResponse }> {
  const server = createServer();
  const caller = connect(Number(new URL(await listenOnFreePort(server)).port), "127.0.0.1");
  onTestFinished(() => closeServer(server));
  caller.write(sentText);
  const [request, response] = (await once(server, "request")) as [IncomingMessage, ServerResponse];
  return { caller, request, response };
}

const REQUEST_HEAD = "POST /api/roundup HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n";

test.each([
  ["during the body", `${REQUEST_HEAD}{"tx`],
  ["after the body", `${REQUEST_HEAD}{"a":123}`],
])("reading a body fails at once if the client disconnected %s", async (_caseName, sentText) => {
  const { caller, request } = await receiveRequest(sentText);
  caller.destroy();
  await new Promise((resolve) => request.once("close", resolve));
  await expect(new NodeIncomingRequest(request, "").readBody(16)).rejects.toThrow("left");
});

/** A refusal that the server sends before the body has arrived. */
const EARLY_ANSWER = { status: 413, headers: {}, body: "too large" };

test("a caller that asks to close the connection reads an early answer and finishes sending", async () => {
  const bodyBytes = 1_000_000;
  const head = `POST /api/roundup HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${bodyBytes}\r\n\r\n`;
  const { caller, request, response } = await receiveRequest(head);
  sendResponse(request, response, EARLY_ANSWER);
  const [answer] = await once(caller, "data");
  expect(String(answer)).toMatch(/^HTTP\/1\.1 413 .*too large$/s);
  // A connection that the server closes with its answer fails here with EPIPE.
  for (let sentBytes = 0; sentBytes < bodyBytes; sentBytes += 100_000) {
    caller.write(" ".repeat(100_000));
    await nextTurn();
  }
  await once(caller, "end");
  expect(request.complete).toBe(true);
});

test("a caller that never stops sending after an early answer is disconnected", async () => {
  const { caller, request, response } = await receiveRequest(REQUEST_HEAD.replace("9", "1000000000"));
  sendResponse(request, response, EARLY_ANSWER);
  const isClosed = new Promise((resolve) => caller.on("error", () => {}).once("close", resolve));
  const send = () => caller.write(" ".repeat(100_000), (error) => error || send());
  send();
  await isClosed;
  expect(request.complete).toBe(false);
});
