import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { NodeIncomingRequest } from "../../../lib/http/node-door";

const server = createServer();
afterEach(() => server.close());

/** Returns a request whose client has disconnected before the body was read. */
async function receiveAbandonedRequest(sentText: string): Promise<IncomingMessage> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const caller = connect((server.address() as AddressInfo).port, "127.0.0.1", () => caller.write(sentText));
  const [request] = (await once(server, "request")) as [IncomingMessage];
  caller.destroy();
  await new Promise((resolve) => request.once("close", resolve));
  return request;
}

/** Reads a body that arrives in these pieces, up to `limit` bytes. */
async function readInPieces(pieces: string[], limit: number): Promise<string | null> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const caller = connect((server.address() as AddressInfo).port, "127.0.0.1");
  caller.write(pieces[0]!);
  const [request] = (await once(server, "request")) as [IncomingMessage];
  const reading = new NodeIncomingRequest(request, "").readBody(limit);
  for (const piece of pieces.slice(1)) caller.write(piece);
  const body = await reading;
  caller.destroy();
  return body && Buffer.from(body).toString();
}

const HEAD = "POST /api/roundup HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n";

test.each([
  ["during the body", `${HEAD}{"tx`],
  ["after the body", `${HEAD}{"a":123}`],
])("reading a body rejects at once if the client disconnected %s", async (_where, sentText) => {
  const incoming = new NodeIncomingRequest(await receiveAbandonedRequest(sentText), "");
  await expect(incoming.readBody(16)).rejects.toThrow("left");
});

test.each([
  ["with its head", [`${HEAD}{"a":123}`]],
  ["after its head", [HEAD, '{"a":123}']],
  ["in pieces", [`${HEAD}{"a"`, ":123}"]],
])("a body that arrives %s is read up to the limit", async (_how, pieces) => {
  expect(await readInPieces(pieces, 9)).toBe('{"a":123}');
  server.close();
  expect(await readInPieces(pieces, 8)).toBeNull();
});
