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

const HEAD = "POST /api/roundup HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n";

test.each([
  ["in the middle of it", `${HEAD}{"tx`],
  ["behind it", `${HEAD}{"a":123}`],
])("the body of a caller who left %s is a failure, never waited for", async (_where, sent) => {
  const incoming = new NodeIncoming(await leftBehind(sent), "");
  await expect(incoming.readBody(16)).rejects.toThrow("left");
});
