import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface CountingProxy {
  url: string;
  /** Calls since the last clear, by JSON-RPC method. */
  counts: Map<string, number>;
  /** The most signatures in one answer since the last clear. */
  readMostListed(): number;
  clear(): void;
  stop(): void;
}

/** Starts a proxy between an app and the sandbox that counts JSON-RPC calls by method. */
export async function startCountingProxy(target: string): Promise<CountingProxy> {
  const counts = new Map<string, number>();
  let mostListed = 0;
  const server = createServer(async (incoming, outgoing) => {
    const body = await readAll(incoming);
    const method = /"method":"(\w+)"/.exec(body.toString())?.[1];
    // The sandbox's own methods replace other upstreams.
    if (method && !method.startsWith("sandbox_")) counts.set(method, (counts.get(method) ?? 0) + 1);
    const onward = httpRequest(target + incoming.url, { method: incoming.method, headers: incoming.headers });
    onward.on("response", async (answer) => {
      const bytes = await readAll(answer);
      if (method === "getSignaturesForAddress")
        mostListed = Math.max(mostListed, bytes.toString().split('"signature":').length - 1);
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers).end(bytes);
    });
    onward.on("error", () => outgoing.destroy());
    onward.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    readMostListed: () => mostListed,
    clear() {
      counts.clear();
      mostListed = 0;
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function readAll(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
