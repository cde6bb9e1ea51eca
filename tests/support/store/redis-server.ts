import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Redis } from "ioredis";
import { createTempFolder, findFreePort, removeFolder } from "../app/app";

export type RedisProcess = ReturnType<typeof wrapRedisProcess>;

/**
 * Starts a redis-server on a free loopback port. It keeps nothing on disk unless `args` say otherwise.
 * @param args more arguments; a first argument without dashes is a configuration file
 * @returns null when this machine has no redis-server (Debian: apt-get install redis-server)
 * @throws {Error} when redis-server exits in five attempts
 */
export async function startRedis(args: string[] = []): Promise<RedisProcess | null> {
  const folder = createTempFolder();
  // Another process may take the free port before redis-server listens on it.
  for (let attempt = 0; attempt < 5; attempt++) {
    const port = await findFreePort();
    const config = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder];
    const startProcess = () => spawnAndWait([...config, "--port", String(port), ...args], folder);
    const outcome = await startProcess();
    if (outcome === "missing") {
      removeFolder(folder);
      return null;
    }
    if (outcome !== "exited") return wrapRedisProcess(outcome, port, folder, startProcess);
  }
  throw new Error("redis-server does not start");
}

/** Returns whether this machine has redis-server. If it has none, prints which tests are skipped. */
export async function hasRedis(testsName: string): Promise<boolean> {
  const server = await startRedis();
  await server?.stop();
  if (!server) console.warn(`skipped: ${testsName} need redis-server (Debian: apt-get install redis-server)`);
  return server !== null;
}

/** Starts a sentinel that watches the primary on a port of this machine, and fails over without a command. */
export async function startSentinel(name: string, primaryPort: number): Promise<RedisProcess> {
  const folder = createTempFolder();
  const port = await findFreePort();
  const configPath = join(folder, "sentinel.conf");
  const settings = [
    `port ${port}`,
    "bind 127.0.0.1",
    `sentinel monitor ${name} 127.0.0.1 ${primaryPort} 1`,
    `sentinel down-after-milliseconds ${name} 500`,
    `sentinel failover-timeout ${name} 2000`,
  ];
  writeFileSync(configPath, settings.join("\n"));
  const startProcess = () => spawnAndWait([configPath, "--sentinel"], folder);
  const outcome = await startProcess();
  if (typeof outcome === "string") throw new Error(`the sentinel does not start: ${outcome}`);
  return wrapRedisProcess(outcome, port, folder, startProcess);
}

/** Starts a cluster of `size` servers and waits until it is ready. This machine must have redis-server. */
export async function startCluster(size: number): Promise<RedisProcess[]> {
  const settings = ["--cluster-enabled", "yes", "--cluster-node-timeout", "2000"];
  const nodes = await Promise.all(Array.from({ length: size }, () => startRedis(settings)));
  const clients = nodes.map((node) => new Redis({ port: node!.port, protocol: 2 }));
  for (const [index, client] of clients.entries()) {
    const [firstSlot, endSlot] = [index, index + 1].map((part) => Math.floor((part * 16_384) / size));
    await client.call("CLUSTER", "ADDSLOTSRANGE", String(firstSlot), String(endSlot! - 1));
    await client.call("CLUSTER", "SET-CONFIG-EPOCH", String(index + 1));
    await client.call("CLUSTER", "MEET", "127.0.0.1", String(nodes[0]!.port));
  }
  for (const client of clients) {
    while (!(await client.cluster("INFO")).includes("cluster_state:ok")) await setTimeout(20);
    client.disconnect();
  }
  return nodes as RedisProcess[];
}

type StartOutcome = ChildProcess | "missing" | "exited";

function spawnAndWait(args: string[], folder: string): Promise<StartOutcome> {
  const child = spawn("redis-server", args, { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
  return new Promise((resolve, reject) => {
    child.once("error", (cause: NodeJS.ErrnoException) =>
      cause.code === "ENOENT" ? resolve("missing") : reject(cause),
    );
    child.once("exit", () => resolve("exited"));
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      if (output.length < 100_000) output += chunk;
      if (/Ready to accept connections|Sentinel ID is/.test(output)) resolve(child);
    });
  });
}

function wrapRedisProcess(
  firstChild: ChildProcess,
  port: number,
  folder: string,
  startProcess: () => Promise<StartOutcome>,
) {
  let child = firstChild;
  const killChild = () => void child.kill("SIGKILL");
  process.once("exit", killChild);
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const childExit = once(child, "exit");
    killChild();
    await childExit;
  };
  return {
    port,
    /** Stops the process without ending it. Its connections stay open, and it answers nothing. */
    freeze: () => void child.kill("SIGSTOP"),
    thaw: () => void child.kill("SIGCONT"),
    /** Ends the process like a crash. Keeps its folder. */
    kill,
    /** Starts the process again on the same port, with the folder as it is now. */
    async restart() {
      const outcome = await startProcess();
      if (typeof outcome === "string") throw new Error(`redis-server does not start again: ${outcome}`);
      child = outcome;
    },
    /** Ends the process and removes its folder. */
    async stop() {
      process.removeListener("exit", killChild);
      await kill();
      removeFolder(folder);
    },
  };
}
