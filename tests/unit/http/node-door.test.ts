import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { NodeIncomingRequest } from "../../../lib/http/node-door";

const server = createServer();
afterEach(() => server.close());

/** Connects a caller and sends this text. Resolves with the request that the text begins. */
async function receiveRequest(sentText: string): Promise<{ caller: Socket; request: IncomingMessage }> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const caller = connect((server.address() as AddressInfo).port, "127.0.0.1");
  caller.write(sentText);
  const [request] = (await once(server, "request")) as [IncomingMessage];
  return { caller, request };
}

/** Reads a body that arrives in these pieces, up to `limitBytes` bytes. */
async function readInPieces([firstPiece, ...otherPieces]: string[], limitBytes: number): Promise<string | null> {
  const { caller, request } = await receiveRequest(firstPiece!);
  const pendingBody = new NodeIncomingRequest(request, "").readBody(limitBytes);
  for (const piece of otherPieces) caller.write(piece);
  const body = await pendingBody;
  caller.destroy();
  return body && Buffer.from(body).toString();
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

test.each([
  ["with its head", [`${REQUEST_HEAD}{"a":123}`]],
  ["after its head", [REQUEST_HEAD, '{"a":123}']],
  ["in pieces", [`${REQUEST_HEAD}{"a"`, ":123}"]],
])("a body that arrives %s is read up to the limit", async (_caseName, pieces) => {
  expect(await readInPieces(pieces, 9)).toBe('{"a":123}');
  server.close();
  expect(await readInPieces(pieces, 8)).toBeNull();
});
