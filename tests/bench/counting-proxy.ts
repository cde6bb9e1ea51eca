import { startProxy } from "../support/app/proxy";

export interface CountingProxy {
  url: string;
  /** Number of calls since the last clear, by JSON-RPC method. */
  callCounts: Map<string, number>;
  /** Returns the largest number of signatures in one answer since the last clear. */
  readMaxSignatureCount(): number;
  clear(): void;
  stop(): void;
}

/** Starts a proxy between an app and the sandbox that counts JSON-RPC calls by method. */
export async function startCountingProxy(targetUrl: string): Promise<CountingProxy> {
  const callCounts = new Map<string, number>();
  let maxSignatureCount = 0;
  const proxy = await startProxy(targetUrl, async ({ body }, forward) => {
    const method = /"method":"(\w+)"/.exec(body.toString())?.[1];
    // Do not count the sandbox's own methods, because they replace other upstreams.
    if (method && !method.startsWith("sandbox_")) callCounts.set(method, (callCounts.get(method) ?? 0) + 1);
    const answer = await forward();
    if (method === "getSignaturesForAddress")
      maxSignatureCount = Math.max(maxSignatureCount, answer.body.toString().split('"signature":').length - 1);
    return answer;
  });
  return {
    ...proxy,
    callCounts,
    readMaxSignatureCount: () => maxSignatureCount,
    clear() {
      callCounts.clear();
      maxSignatureCount = 0;
    },
  };
}
