import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { NodeIncoming } from "../../../lib/http/node-door";

const server = createServer();
afterEach(() => server.close());

/** A request whose caller is gone before anybody read of it. */
async function leftBehind(sent: string): Promise<IncomingMessage> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const caller = connect((server.address() as AddressInfo).port, "127.0.0.1", () => caller.write(sent));
  const [request] = (await once(server, "request")) as [IncomingMessage];
  caller.destroy();
  await new Promise((resolve) => request.once("close", resolve));
  return request;
}

/** What is read, of at most `limit` bytes, of a body that arrives in these pieces. */
async function readInPieces(pieces: string[], limit: number): Promise<string | null> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const caller = connect((server.address() as AddressInfo).port, "127.0.0.1");
  caller.write(pieces[0]!);
  const [request] = (await once(server, "request")) as [IncomingMessage];
  const reading = new NodeIncoming(request, "").readBody(limit);
  for (const piece of pieces.slice(1)) caller.write(piece);
  const body = await reading;
  caller.destroy();
  return body && Buffer.from(body).toString();
}

const HEAD = "POST /api/roundup HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n";

test.each([
  ["in the middle of it", `${HEAD}{"tx`],
  ["behind it", `${HEAD}{"a":123}`],
])("the body of a caller who left %s is a failure, never waited for", async (_where, sent) => {
  const incoming = new NodeIncoming(await leftBehind(sent), "");
  await expect(incoming.readBody(16)).rejects.toThrow("left");
});

test.each([
  ["with its head", [`${HEAD}{"a":123}`]],
  ["after its head", [HEAD, '{"a":123}']],
  ["in pieces", [`${HEAD}{"a"`, ":123}"]],
])("a body that comes %s is read whole, and refused when it is longer than it may be", async (_how, pieces) => {
  expect(await readInPieces(pieces, 9)).toBe('{"a":123}');
  server.close();
  expect(await readInPieces(pieces, 8)).toBeNull();
});
