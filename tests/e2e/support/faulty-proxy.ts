import { type ProxyAnswer, startProxy } from "../../support/app/proxy";

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
  requests: string[];
  stop(): Promise<void>;
}

const BAD_GATEWAY: ProxyAnswer = {
  status: 502,
  headers: { "content-type": "text/html", "x-request-id": "front-0001" },
  body: "<html><body><h1>502 Bad Gateway</h1></body></html>",
};

export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const faults = new Map<string, ProxyFault>();
  const heldRequests = new Set<() => void>();
  const requests: string[] = [];
  const findFault = (path: string) => [...faults].find(([prefix]) => path.startsWith(prefix))?.[1];

  const { url, stop } = await startProxy(target, async ({ method, path }, forward) => {
    requests.push(`${method} ${path}`);
    while (findFault(path) === "hold") await new Promise<void>((resolve) => heldRequests.add(resolve));
    const fault = findFault(path);
    if (fault === "cut") return null;
    if (fault === "bad-gateway") return BAD_GATEWAY;
    const answer = await forward();
    return fault === "lose-answer" ? null : answer;
  });

  const releaseHeld = () => {
    const waiting = [...heldRequests];
    heldRequests.clear();
    for (const resolve of waiting) resolve();
  };
  return {
    url,
    requests,
    startFault: (path, fault) => void faults.set(path, fault),
    endFaults(path) {
      if (path === undefined) faults.clear();
      else faults.delete(path);
      releaseHeld();
    },
    stop() {
      faults.clear();
      releaseHeld();
      return stop();
    },
  };
}
