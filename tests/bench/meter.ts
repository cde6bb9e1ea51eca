import { setTimeout } from "node:timers/promises";
import { Redis } from "ioredis";
import { startProxy } from "../support/app/proxy";

/** Pause before a measurement, ms. The service caches accounts for less, so no answer comes from memory alone. */
export const CACHE_EXPIRY_MS = 1_000;
/** Time for store writes that finish after the answer, ms. */
const TRAILING_WRITES_MS = 300;

/** The commands of the price reading, which one process makes every 30 s. It belongs to no request. */
const PRICE_READING_COMMANDS: ReadonlySet<string> = new Set([
  "set roundup:sandbox:sandbox:sandbox:prices:reading",
  "getex roundup:sandbox:sandbox:sandbox:price-memory",
  "set roundup:sandbox:sandbox:sandbox:price-memory",
  "set roundup:sandbox:sandbox:sandbox:prices:newest",
  "del roundup:sandbox:sandbox:sandbox:prices:reading",
]);

export type Meter = Awaited<ReturnType<typeof startMeter>>;
export type Cost = Awaited<ReturnType<Meter["measure"]>>;

/** Starts to meter the calls to a sandbox through a proxy, and the commands that clients send to a Redis server. */
export async function startMeter(sandboxUrl: string, redisPort: number) {
  const proxy = await startCountingProxy(sandboxUrl);
  const store = await startCommandRecorder(redisPort);
  return {
    /** The proxy's URL. */
    url: proxy.url,
    async measure(request: () => Promise<unknown>) {
      await setTimeout(CACHE_EXPIRY_MS);
      await store.takeCommands();
      proxy.takeCounts();
      await request();
      await setTimeout(TRAILING_WRITES_MS);
      const commands = (await store.takeCommands()).filter((command) => !PRICE_READING_COMMANDS.has(command));
      const { callCounts, maxSignatureCount } = proxy.takeCounts();
      return {
        rpcCallCount: [...callCounts.values()].reduce((sum, count) => sum + count, 0),
        /** Largest number of signatures in one answer of the node. */
        maxSignatureCount,
        storeCommandCount: commands.length,
        /** All calls and commands, for the trace of a missed target. */
        trace: [...[...callCounts].map(([method, count]) => `${count} × ${method}`), ...commands],
      };
    },
    async stop() {
      store.stop();
      await proxy.stop();
    },
  };
}

/** Starts a proxy between an app and the sandbox that counts JSON-RPC calls by method. */
async function startCountingProxy(targetUrl: string) {
  const createCounts = () => ({ callCounts: new Map<string, number>(), maxSignatureCount: 0 });
  let counts = createCounts();
  const proxy = await startProxy(targetUrl, async ({ body }, forward) => {
    const method = /"method":"(\w+)"/.exec(body.toString())?.[1];
    const { callCounts } = counts;
    // Do not count the sandbox's own methods, because they replace other upstreams.
    if (method && !method.startsWith("sandbox_")) callCounts.set(method, (callCounts.get(method) ?? 0) + 1);
    const answer = await forward();
    if (method === "getSignaturesForAddress") {
      const signatureCount = answer.body.toString().split('"signature":').length - 1;
      counts.maxSignatureCount = Math.max(counts.maxSignatureCount, signatureCount);
    }
    return answer;
  });
  return {
    ...proxy,
    /** Returns the counts since the last call. */
    takeCounts() {
      const takenCounts = counts;
      counts = createCounts();
      return takenCounts;
    },
  };
}

/** Records the commands that clients send to a Redis server, without those that a script runs inside it. */
async function startCommandRecorder(port: number) {
  const client = new Redis({ port, protocol: 2 });
  const monitor = await client.monitor();
  let commands: string[] = [];
  let marker: { text: string; markSeen: () => void } | null = null;
  monitor.on("monitor", (_time: string, args: string[], source: string) => {
    if (args[0] === "echo" && args[1] === marker?.text) return marker?.markSeen();
    if (source !== "lua") commands.push(describeCommand(args));
  });
  return {
    /** Returns the commands since the last call, such as "getex claim:…". */
    async takeCommands() {
      // The server reports commands in their order, so everything before the marker has been recorded.
      const text = `marker-${performance.now()}`;
      const markerPromise = new Promise<void>((resolve) => {
        marker = { text, markSeen: resolve };
      });
      await client.echo(text);
      await markerPromise;
      const takenCommands = commands;
      commands = [];
      return takenCommands;
    },
    stop() {
      monitor.disconnect();
      client.disconnect();
    },
  };
}

/** Formats a command with shortened keys, so that equal commands of different wallets read the same. */
function describeCommand([command = "", ...args]: string[]): string {
  const keys = /^eval/i.test(command) ? args.slice(2, 2 + Number(args[1])) : args.slice(0, 1);
  const shortenedKeys = keys.map((key) => key.replace(/[{}]/g, "").replace(/[1-9A-HJ-NP-Za-km-z+/=]{30,}/g, "…"));
  return [command.toLowerCase(), ...shortenedKeys].join(" ");
}
