import { startRedis } from "../support/store/redis-server";
import type { Loader } from "./loader";
import { createGetLoad, createServiceLoads, type Load, type LoadName } from "./loads";
import { type MeasuredServer, startApp, startBareNext, startNextApp, withMeasuredServers } from "./measured-server";
import type { BenchOptions } from "./options";
import { measureCpuMs } from "./process-usage";
import type { Check } from "./report";
import { createUsers } from "./users";

/** Number of connections that the load process keeps open. */
export const CONNECTIONS = 32;

interface Row {
  name: string;
  server: MeasuredServer;
  load: Load;
  /** Minimum ratio to the bare Next handler, which checks, limits and logs nothing. Null for rows without a target. */
  target: number | null;
}

export interface ThroughputFigures {
  name: string;
  /** Median over the rounds of the requests per second. */
  perSecond: number;
  lowestPerSecond: number;
  highestPerSecond: number;
  p99Ms: number;
  /** CPU time of the server's process in all threads; null when the system does not report it. */
  cpuMicroseconds: number | null;
  /** Ratio to the bare Next handler. */
  bareNextRatio: number;
  target: number | null;
}

/**
 * Measures the requests per second of every row. All rows warm up first. Each round then measures every row once, so
 * that a slow phase of the machine affects all rows.
 */
export async function measureThroughput(
  options: BenchOptions,
  loader: Loader,
  folder: string,
): Promise<ThroughputFigures[]> {
  const redis = await startRedis();
  const figures = withMeasuredServers(async (start) => {
    const app = await start(startApp(`${folder}/server`));
    const loads = createServiceLoads(await createUsers(app.url, options.walletCount));
    const rows = buildRows({
      bare: await start(startBareNext(folder)),
      next: await start(startNextApp(`${folder}/next`, app.rpcUrl)),
      app,
      loads,
    });
    if (redis) {
      // The claims, keys and limits of this row are in Redis.
      const server = await start(startApp(`${folder}/redis`, { REDIS_URL: `redis://127.0.0.1:${redis.port}` }));
      const { wrap } = createServiceLoads(await createUsers(server.url, options.walletCount));
      rows.push({ name: "POST /api/wrap, signed, on Redis", server, load: wrap, target: null });
    }
    for (const row of rows) await measureRow(row, loader, options.warmSeconds);
    const rounds: Sample[][] = [];
    for (let round = 0; round < options.roundCount; round++) {
      const samples: Sample[] = [];
      for (const row of rows) samples.push(await measureRow(row, loader, options.measureSeconds));
      rounds.push(samples);
    }
    return toFigures(rows, rounds);
  });
  return figures.finally(() => redis?.stop());
}

function buildRows({
  bare,
  next,
  app,
  loads,
}: Record<"bare" | "next" | "app", MeasuredServer> & { loads: ReturnType<typeof createServiceLoads> }): Row[] {
  const createServiceRow = (name: string, load: LoadName, target: number): Row => ({
    name,
    server: app,
    load: loads[load],
    target,
  });
  return [
    {
      name: "bare Response.json under next start",
      server: bare,
      load: createGetLoad("/api/bare"),
      target: null,
    },
    createServiceRow("GET /api/auth", "auth", 5),
    createServiceRow("GET /api/plans", "plans", 5),
    createServiceRow("GET /api/price", "price", 5),
    createServiceRow("POST /api/roundup, signed", "roundup", 3),
    createServiceRow("POST /api/wrap, signed", "wrap", 2),
    createServiceRow("GET /api/portfolio", "portfolio", 4),
    { name: "GET /api/portfolio, nothing cached", server: app, load: loads.strangers, target: null },
    { name: "GET /api/auth through Next", server: next, load: loads.auth, target: 0.6 },
    { name: "GET /api/plans through Next", server: next, load: loads.plans, target: 0.6 },
  ];
}

interface Sample {
  perSecond: number;
  p99Ms: number;
  cpuMicroseconds: number | null;
}

async function measureRow({ name, server, load }: Row, loader: Loader, seconds: number): Promise<Sample> {
  const job = { url: server.url, connections: CONNECTIONS, seconds, ...load };
  const { result, cpuMs } = await measureCpuMs(server.pid, () => loader.run(job));
  const perSecond = result.successCount / result.seconds;
  console.error(`${name}: ${Math.round(perSecond)}/s`);
  return { perSecond, p99Ms: result.p99Ms, cpuMicroseconds: cpuMs && (cpuMs * 1000) / result.successCount };
}

function toFigures(rows: Row[], rounds: Sample[][]): ThroughputFigures[] {
  return rows.map(({ name, target }, i) => {
    const samples = rounds.map((round) => round[i]!);
    const rates = samples.map(({ perSecond }) => perSecond);
    const cpuTimes = samples.flatMap(({ cpuMicroseconds }) => cpuMicroseconds ?? []);
    return {
      name,
      perSecond: computeMedian(rates),
      lowestPerSecond: Math.min(...rates),
      highestPerSecond: Math.max(...rates),
      p99Ms: computeMedian(samples.map(({ p99Ms }) => p99Ms)),
      cpuMicroseconds: cpuTimes.length > 0 ? computeMedian(cpuTimes) : null,
      // Compare within each round, because a slow phase affects all rows of a round.
      bareNextRatio: computeMedian(rounds.map((round) => round[i]!.perSecond / round[0]!.perSecond)),
      target,
    };
  });
}

/** Compares each row with its target. */
export const checkThroughput = (figures: ThroughputFigures[]): Check[] =>
  figures.flatMap(({ name, bareNextRatio, target }) =>
    target === null
      ? []
      : [
          {
            name,
            target: `≥ ${target} × bare Next`,
            measured: `${bareNextRatio.toFixed(2)} ×`,
            isMet: bareNextRatio >= target,
          },
        ],
  );

/** Returns the median; NaN for an empty list. */
export function computeMedian(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
