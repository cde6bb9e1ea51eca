/** Starts the process: the sandbox where the settings ask for one, /api, the pages and graceful shutdown. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { GET as getHealth } from "./app/api/health/route";
import { findProgramFolder, parseEnv, readProcessEnv, reloadStaticKeys, startRuntime } from "./lib/deps";
import { reportHealth } from "./lib/http/health-report";
import { createHttpServer } from "./lib/http/http-server";
import { createLogger } from "./lib/http/log";
import { serveMetrics } from "./lib/http/metrics-server";
import { createPageListener } from "./lib/http/pages/page-listener";
import { loadStoredFiles } from "./lib/http/pages/stored-files";
import { loadRouter } from "./lib/http/router";
import { endOnSignals } from "./lib/http/shutdown";
import { toWebsocketUrl } from "./lib/sandbox/options";
import { startSandbox } from "./lib/sandbox/supervise";
import { keepAdvancingPending } from "./lib/services/steps/relay/advance-pending";
import { checkStart } from "./lib/start-checks";

const isDevelopment = process.argv.includes("--dev");
// Only the service's own user may read its records, and the sandbox's wallets.
process.umask(0o077);
// SIGHUP would end a process without a listener, even during the start. Keys that are read at the start need no reload.
process.on("SIGHUP", () => {});

try {
  await main();
} catch (error) {
  // A wrong setting, data folder or port is reported as one sentence. Bugs keep their stack trace.
  const isBug = error instanceof TypeError || error instanceof ReferenceError || !(error instanceof Error);
  console.error(isBug ? error : error.message);
  process.exit(1);
}

async function main(): Promise<void> {
  const env = parseEnv(readProcessEnv());
  const logger = createLogger({ level: env.LOG_LEVEL, isBatched: false });
  const needsSandbox = env.NETWORK === "sandbox" && !env.SANDBOX_URL;
  const logSandbox = (message: string) => logger.info({ sandbox: message });
  const programFolder = findProgramFolder();
  const dataDir = join(env.DATA_DIR, "chain");
  const { SANDBOX_PORT: port, SANDBOX_PRICES: prices, SANDBOX_FEES: fees, SANDBOX_SLOT_MS: slotMs } = env;
  const sandboxOptions = { dataDir, port, prices, fees, slotMs, log: logSandbox };
  const [sandbox, apiListener, pageFiles] = await Promise.all([
    needsSandbox ? startSandbox(sandboxOptions) : null,
    // The import path is a template, so that a bundler finds all route modules.
    loadRouter(join(programFolder, "app/api"), (path) => import(`./app/api/${path}/route.ts`)),
    isDevelopment ? null : loadStoredFiles(env, programFolder),
  ]);
  if (sandbox) {
    const { url, feeCollectors } = sandbox;
    logger.info({ sandboxRpc: url, sandboxWebsocket: toWebsocketUrl(url), feeCollectors });
  }
  const runtime = startRuntime("server", sandbox ?? undefined);
  process.on("SIGHUP", () => reloadStaticKeys(runtime));
  await checkStart(runtime);

  const servePage = pageFiles ? createPageListener(pageFiles, runtime) : await serveByNext(env);
  // In development Next serves /api too, so that edits take effect.
  const serveApi = isDevelopment ? null : apiListener;
  // The health report waits a limited time for the first prices, so that the first requests find them.
  await reportHealth(getHealth, logger);
  const server = createHttpServer({ serveApi, servePage, isEnding: runtime.deps.isEnding });
  server.listen(env.PORT, env.HOST);
  await once(server, "listening");
  endOnSignals({ server, runtime, logger, stopSandbox: async () => sandbox?.stop() });
  void keepAdvancingPending(runtime.deps);

  if (runtime.metrics) logger.info({ metrics: await serveMetrics(runtime.metrics, env.METRICS_PORT!) });
  const { port: boundPort } = server.address() as AddressInfo;
  const host = env.HOST === "127.0.0.1" ? "localhost" : env.HOST;
  logger.info({ listening: `http://${host}:${boundPort}`, network: env.NETWORK });
}

/** Lets Next render the pages and reload edited code, in development. */
async function serveByNext({ HOST: hostname, PORT: port }: ReturnType<typeof parseEnv>) {
  const nextApp = (await import("next")).default({ dev: true, hostname, port });
  await nextApp.prepare();
  return nextApp.getRequestHandler();
}
