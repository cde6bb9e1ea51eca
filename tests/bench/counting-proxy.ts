import { startProxy } from "../support/app/proxy";

export interface CountingProxy {
  url: string;
  /** Number of calls since the last clear, by JSON-RPC method. */
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
  const proxy = await startProxy(target, async ({ body }, forward) => {
    const method = /"method":"(\w+)"/.exec(body.toString())?.[1];
    // Do not count the sandbox's own methods, because they replace other upstreams.
    if (method && !method.startsWith("sandbox_")) counts.set(method, (counts.get(method) ?? 0) + 1);
    const answer = await forward();
    if (method === "getSignaturesForAddress")
      mostListed = Math.max(mostListed, answer.body.toString().split('"signature":').length - 1);
    return answer;
  });
  return {
    ...proxy,
    counts,
    readMostListed: () => mostListed,
    clear() {
      counts.clear();
      mostListed = 0;
    },
  };
}
