import { createServer, request as forward } from "node:http";
import type { AddressInfo } from "node:net";

/** What happens to requests whose path starts with the given prefix. */
type Trouble =
  /** Holds the request until the trouble ends. */
  | "hold"
  /** Closes the connection without a response. */
  | "cut"
  /** Returns a proxy's error page instead of the service's response. */
  | "bad-gateway"
  /** Forwards the request and drops the response. */
  | "lose-answer";

export interface Front {
  url: string;
  /** Starts a trouble. Held requests continue when it ends. */
  begin(path: string, trouble: Trouble): void;
  end(path?: string): void;
  /** Requests so far, as method and path. */
  seen: string[];
  stop(): Promise<void>;
}

/** Starts a proxy in front of the app whose troubles a test can start and end. */
export async function startFront(target: string): Promise<Front> {
  const troubles = new Map<string, Trouble>();
  const held = new Set<() => void>();
  const seen: string[] = [];
  const troubleOf = (path: string) => [...troubles].find(([prefix]) => path.startsWith(prefix))?.[1];

  const server = createServer(async (incoming, outgoing) => {
    const path = incoming.url ?? "/";
    seen.push(`${incoming.method} ${path}`);
    const body: Buffer[] = [];
    for await (const chunk of incoming) body.push(chunk as Buffer);
    while (troubleOf(path) === "hold") await new Promise<void>((resolve) => held.add(resolve));
    const trouble = troubleOf(path);
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

  const goOn = () => {
    const waiting = [...held];
    held.clear();
    for (const resolve of waiting) resolve();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    begin: (path, trouble) => {
      troubles.set(path, trouble);
    },
    end(path) {
      if (path === undefined) troubles.clear();
      else troubles.delete(path);
      goOn();
    },
    stop: () =>
      new Promise((resolve) => {
        troubles.clear();
        goOn();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
