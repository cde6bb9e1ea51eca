import { createServer, request as httpRequest } from "node:http";
import { buffer } from "node:stream/consumers";
import { listenOnFreePort } from "../support/app/listen";

export interface CountingProxy {
  url: string;
  /** Calls since the last clear, by JSON-RPC method. */
  counts: Map<string, number>;
  /** Returns the largest number of signatures in one answer since the last clear. */
  readMostListed(): number;
  clear(): void;
  stop(): void;
}

/** Starts a proxy between an app and the sandbox that counts JSON-RPC calls by method. */
export async function startCountingProxy(target: string): Promise<CountingProxy> {
  const counts = new Map<string, number>();
  let mostListed = 0;
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const method = /"method":"(\w+)"/.exec(body.toString())?.[1];
    // The sandbox's own methods stand for other upstreams, so they are not counted.
    if (method && !method.startsWith("sandbox_")) counts.set(method, (counts.get(method) ?? 0) + 1);
    const onward = httpRequest(target + incoming.url, { method: incoming.method, headers: incoming.headers });
    onward.on("response", async (answer) => {
      const bytes = await buffer(answer);
      if (method === "getSignaturesForAddress")
        mostListed = Math.max(mostListed, bytes.toString().split('"signature":').length - 1);
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers).end(bytes);
    });
    onward.on("error", () => outgoing.destroy());
    onward.end(body);
  });
  return {
    url: await listenOnFreePort(server),
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
