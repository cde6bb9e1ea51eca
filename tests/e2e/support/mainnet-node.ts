import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { MAINNET_GENESIS } from "../../../lib/clients/solana/nodes/nodes";

/** Starts a sandbox node that reports the genesis of mainnet-beta. */
export async function startMainnetNode(sandboxRpc: string): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const call = incoming.method === "POST" ? JSON.parse(body.toString()) : {};
    outgoing.setHeader("content-type", "application/json");
    if (call.method === "getGenesisHash") {
      return outgoing.end(JSON.stringify({ jsonrpc: "2.0", id: call.id, result: MAINNET_GENESIS }));
    }
    const request = { method: "POST", headers: { "content-type": "application/json" }, body };
    const answer = await fetch(sandboxRpc, request).catch(() => null);
    if (!answer) return incoming.socket.destroy();
    outgoing.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
