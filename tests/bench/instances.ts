import { startRedis } from "../support/store/redis-server";
import type { Loader } from "./loader";
import { CONNECTIONS, createServiceLoads, type LoadName } from "./loads";
import {
  type MeasuredServer,
  readSandboxSettings,
  startApp,
  startMeasuredServer,
  withMeasuredServers,
} from "./measured-server";
import { computeMedian } from "./median";
import type { BenchOptions } from "./options";
import { createUsers } from "./users";

const LOADS = ["auth", "roundup", "wrap"] as const satisfies LoadName[];

export interface InstancesFigures {
  /** Name of the load. */
  name: string;
  /** Requests per second to one instance, and to two instances. */
  oneInstance: number;
  twoInstances: number;
  /** Median over the rounds of the ratio of two instances to one. */
  ratio: number;
}

/**
 * Compares two instances on one Redis behind a proxy with a single instance behind the same proxy.
 * @returns null, after logging the reason, when this machine has no redis-server
 */
export async function measureInstances(
  options: BenchOptions,
  loader: Loader,
  folder: string,
): Promise<InstancesFigures[] | null> {
  const redis = await startRedis();
  if (!redis) {
    console.error("instances: not measured without redis-server");
    return null;
  }
  const figures = withMeasuredServers(async (start) => {
    const sandboxApp = await start(startApp(`${folder}/instances-sandbox`));
    const env = { ...(await readSandboxSettings(sandboxApp.rpcUrl)), REDIS_URL: `redis://127.0.0.1:${redis.port}` };
    const apps = [
      await start(startApp(`${folder}/instance-1`, env)),
      await start(startApp(`${folder}/instance-2`, env)),
    ];
    const proxies = [
      await start(startBalancer(folder, apps.slice(0, 1))),
      await start(startBalancer(folder, apps)),
    ] as const;
    const loads = createServiceLoads(await createUsers(apps[0]!.url, options.walletCount));
    const loadFigures: InstancesFigures[] = [];
    for (const name of LOADS) loadFigures.push(await compareLoad(name, loads[name], proxies, options, loader));
    return loadFigures;
  });
  return figures.finally(() => redis.stop());
}

const startBalancer = (dataDir: string, apps: MeasuredServer[]): Promise<MeasuredServer> =>
  startMeasuredServer({
    args: ["--import", "tsx", "tests/bench/balancer.ts"],
    env: { TARGETS: apps.map(({ url }) => new URL(url).port).join(",") },
    dataDir,
    readinessPath: "/api/auth",
  });

async function compareLoad(
  name: LoadName,
  load: ReturnType<typeof createServiceLoads>[LoadName],
  proxies: readonly [MeasuredServer, MeasuredServer],
  { warmSeconds, measureSeconds, roundCount }: BenchOptions,
  loader: Loader,
): Promise<InstancesFigures> {
  const measureRate = async ({ url }: MeasuredServer, seconds: number) => {
    const result = await loader.run({ url, connections: CONNECTIONS, seconds, ...load });
    return result.successCount / result.seconds;
  };
  for (const proxy of proxies) await measureRate(proxy, warmSeconds);
  const samples: { oneInstance: number; twoInstances: number }[] = [];
  for (let round = 0; round < roundCount; round++)
    samples.push({
      oneInstance: await measureRate(proxies[0], measureSeconds),
      twoInstances: await measureRate(proxies[1], measureSeconds),
    });
  return {
    name,
    oneInstance: computeMedian(samples.map(({ oneInstance }) => oneInstance)),
    twoInstances: computeMedian(samples.map(({ twoInstances }) => twoInstances)),
    ratio: computeMedian(samples.map(({ oneInstance, twoInstances }) => twoInstances / oneInstance)),
  };
}
