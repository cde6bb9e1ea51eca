import { startRedis } from "../support/store/redis-server";
import type { Loader } from "./loader";
import { type LoadName, serviceLoads } from "./loads";
import type { BenchOptions } from "./options";
import { type Subject, sandboxAt, startApp, startSubject } from "./subject-process";
import { CONNECTIONS, median } from "./throughput";
import { makeWallets } from "./wallets";

const LOADS = ["auth", "roundup", "wrap"] as const satisfies LoadName[];

export interface InstancesFigures {
  name: string;
  /** Requests per second. */
  one: number;
  two: number;
  /** The median over the rounds of two instances to one. */
  ratio: number;
}

/**
 * Compares two instances on one Redis behind a proxy with one of them behind the same proxy.
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
  const started: Subject[] = [];
  const start = async <T extends Subject>(starting: Promise<T>): Promise<T> => {
    const subject = await starting;
    started.push(subject);
    return subject;
  };
  try {
    const owner = await start(startApp(`${folder}/instances-sandbox`));
    const env = { ...(await sandboxAt(owner.rpc)), REDIS_URL: `redis://127.0.0.1:${redis.port}` };
    const apps = [
      await start(startApp(`${folder}/instance-1`, env)),
      await start(startApp(`${folder}/instance-2`, env)),
    ];
    const proxies = [await start(startProxy(folder, apps.slice(0, 1))), await start(startProxy(folder, apps))] as const;
    const loads = serviceLoads(await makeWallets(apps[0]!.url, options.wallets));
    const figures: InstancesFigures[] = [];
    for (const name of LOADS) figures.push(await compare(name, loads[name], proxies, options, loader));
    return figures;
  } finally {
    for (const subject of started.reverse()) await subject.stop();
    await redis.stop();
  }
}

const startProxy = (dataDir: string, apps: Subject[]): Promise<Subject> =>
  startSubject({
    args: ["--import", "tsx", "tests/bench/spread.ts"],
    env: { TARGETS: apps.map(({ url }) => new URL(url).port).join(",") },
    dataDir,
    path: "/api/auth",
  });

async function compare(
  name: LoadName,
  load: ReturnType<typeof serviceLoads>[LoadName],
  proxies: readonly [Subject, Subject],
  { warmSeconds, measureSeconds, rounds }: BenchOptions,
  loader: Loader,
): Promise<InstancesFigures> {
  const rate = async ({ url }: Subject, seconds: number) => {
    const result = await loader.run({ url, connections: CONNECTIONS, seconds, ...load });
    return result.good / result.seconds;
  };
  for (const proxy of proxies) await rate(proxy, warmSeconds);
  const samples: { one: number; two: number }[] = [];
  for (let round = 0; round < rounds; round++)
    samples.push({ one: await rate(proxies[0], measureSeconds), two: await rate(proxies[1], measureSeconds) });
  return {
    name,
    one: median(samples.map(({ one }) => one)),
    two: median(samples.map(({ two }) => two)),
    ratio: median(samples.map(({ one, two }) => two / one)),
  };
}
