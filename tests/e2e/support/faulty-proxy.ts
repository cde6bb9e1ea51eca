import { createServer, request as forward } from "node:http";
import type { AddressInfo } from "node:net";

/** A fault of the proxy. It affects requests whose path starts with a prefix. */
type ProxyFault =
  /** Holds the request until the fault ends. */
  | "hold"
  /** Closes the connection without a response. */
  | "cut"
  /** Returns a proxy's error page instead of the service's response. */
  | "bad-gateway"
  /** Forwards the request and drops the response. */
  | "lose-answer";

export interface FaultyProxy {
  url: string;
  /** Starts a fault for a path prefix. Held requests continue when it ends. */
  startFault(path: string, fault: ProxyFault): void;
  endFaults(path?: string): void;
  /** Requests so far, as method and path. */
  requests: string[];
  stop(): Promise<void>;
}

/** Starts a proxy in front of the app. A test starts and ends its faults. */
export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const faults = new Map<string, ProxyFault>();
  const heldRequests = new Set<() => void>();
  const requests: string[] = [];
  const findFault = (path: string) => [...faults].find(([prefix]) => path.startsWith(prefix))?.[1];

  const server = createServer(async (incoming, outgoing) => {
    const path = incoming.url ?? "/";
    requests.push(`${incoming.method} ${path}`);
    const body: Buffer[] = [];
    for await (const chunk of incoming) body.push(chunk as Buffer);
    while (findFault(path) === "hold") await new Promise<void>((resolve) => heldRequests.add(resolve));
    const trouble = findFault(path);
    if (trouble === "cut") return incoming.socket.destroy();
    if (trouble === "bad-gateway") {
      outgoing.writeHead(502, { "content-type": "text/html", "x-request-id": "front-0001" });
      return outgoing.end("<html><body><h1>502 Bad Gateway</h1></body></html>");
    }
    const onward = forward(target + path, { method: incoming.method, headers: incoming.headers });
    onward.on("response", (answer) => {
      if (trouble === "lose-answer") {
        answer.resume();
        answer.on("end", () => incoming.socket.destroy());
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    onward.end(Buffer.concat(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  const releaseHeld = () => {
    const waiting = [...heldRequests];
    heldRequests.clear();
    for (const resolve of waiting) resolve();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    startFault: (path, trouble) => {
      faults.set(path, trouble);
    },
    endFaults(path) {
      if (path === undefined) faults.clear();
      else faults.delete(path);
      releaseHeld();
    },
    stop: () =>
      new Promise((resolve) => {
        faults.clear();
        releaseHeld();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
