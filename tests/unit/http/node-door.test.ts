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
