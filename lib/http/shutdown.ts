import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Runtime } from "../deps";
import { drainServer } from "./http-server";

/** Time limit for requests that are in flight when the process ends, ms. The longest wait is the relay's, 25 s. */
const LAST_ANSWERS_TIMEOUT_MS = 30_000;

interface RunningServer {
  server: Server;
  runtime: Runtime;
  logger: Pick<Logger, "info" | "flush">;
  stopSandbox: () => Promise<unknown>;
}

/** Ends the process on SIGTERM and SIGINT, after the last answers. */
export function endOnSignals({ server, runtime, logger, stopSandbox }: RunningServer): void {
  const endProcess = async (signal: NodeJS.Signals) => {
    if (runtime.deps.isEnding()) return;
    runtime.beginShutdown();
    logger.info({ ending: signal });
    // Keep answering until the load balancer sees in GET /api/health that it must stop sending requests.
    if (signal === "SIGTERM") await sleep(runtime.env.DRAIN_SECONDS * 1000);
    const closing = Promise.all([drainServer(server), runtime.deps.background.close()]);
    await Promise.race([closing, sleep(LAST_ANSWERS_TIMEOUT_MS, undefined, { ref: false })]);
    await runtime.keyUsage.write();
    await runtime.deps.kv.close();
    await stopSandbox();
    logger.flush();
    process.exit(0);
  };
  process.on("SIGTERM", endProcess);
  process.on("SIGINT", endProcess);
}
