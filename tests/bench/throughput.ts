import { startRedis } from "../support/store/redis-server";
import type { Loader } from "./loader";
import { createGetLoad, createServiceLoads, type Load, type LoadName } from "./loads";
import {
  type MeasuredServer,
  startApp,
  startBareNext,
  startNextApp,
  startRawHttp,
  withMeasuredServers,
} from "./measured-server";
import type { BenchOptions } from "./options";
import { measureCpuMs } from "./process-usage";
import { recordAnswers } from "./record-answers";
import type { Check } from "./report";
import { createUsers } from "./users";

/** Number of connections that the load process keeps open. */
export const CONNECTIONS = 32;
/** Maximum CPU time of the server for one wrap, µs. */
const MAX_WRAP_CPU_US = 100;

interface Row {
  name: string;
  server: MeasuredServer;
  load: Load;
  /** The raw server, which replays the same answers to the same requests. Null for rows without that comparison. */
  raw: MeasuredServer | null;
  /**
   * Minimum ratio to the raw server, or to the bare Next handler when there is no raw server. Null for rows without a
   * target.
   */
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
  /** Ratio to the raw server; null for rows without that comparison. */
  rawHttpRatio: number | null;
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
      raw: await start(startRawHttp(folder, await recordAnswers(app.url, loads))),
      next: await start(startNextApp(`${folder}/next`, app.rpcUrl)),
      app,
      loads,
    });
    if (redis) {
      // The claims, keys and limits of this row are in Redis.
      const server = await start(startApp(`${folder}/redis`, { REDIS_URL: `redis://127.0.0.1:${redis.port}` }));
      const { wrap } = createServiceLoads(await createUsers(server.url, options.walletCount));
      rows.push({ name: "POST /api/wrap, signed, on Redis", server, load: wrap, raw: null, target: null });
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
  raw,
  next,
  app,
  loads,
}: Record<"bare" | "raw" | "next" | "app", MeasuredServer> & { loads: ReturnType<typeof createServiceLoads> }): Row[] {
  const createServiceRow = (name: string, load: LoadName, target: number): Row => ({
    name,
    server: app,
    load: loads[load],
    raw,
    target,
  });
  return [
    {
      name: "bare Response.json under next start",
      server: bare,
      load: createGetLoad("/api/bare"),
      raw: null,
      target: null,
    },
    createServiceRow("GET /api/auth", "auth", 0.7),
    createServiceRow("GET /api/plans", "plans", 0.7),
    createServiceRow("GET /api/price", "price", 0.7),
    createServiceRow("POST /api/roundup, signed", "roundup", 0.5),
    createServiceRow("POST /api/wrap, signed", "wrap", 0.25),
    createServiceRow("GET /api/portfolio", "portfolio", 0.5),
    { name: "GET /api/portfolio, nothing cached", server: app, load: loads.strangers, raw: null, target: null },
    { name: "GET /api/auth through Next", server: next, load: loads.auth, raw: null, target: 0.85 },
    { name: "GET /api/plans through Next", server: next, load: loads.plans, raw: null, target: 0.85 },
  ];
}

interface Sample {
  /** Requests per second of the raw server, measured immediately before; null for rows without that comparison. */
  rawPerSecond: number | null;
  perSecond: number;
  p99Ms: number;
  cpuMicroseconds: number | null;
}

async function measureRow(row: Row, loader: Loader, seconds: number): Promise<Sample> {
  const rawSample =
    row.raw && (await measureServer({ ...row, name: `${row.name}, raw`, server: row.raw }, loader, seconds));
  return { ...(await measureServer(row, loader, seconds)), rawPerSecond: rawSample?.perSecond ?? null };
}

async function measureServer(
  { name, server, load }: Pick<Row, "name" | "server" | "load">,
  loader: Loader,
  seconds: number,
): Promise<Omit<Sample, "rawPerSecond">> {
  const job = { url: server.url, connections: CONNECTIONS, seconds, ...load };
  const { result, cpuMs } = await measureCpuMs(server.pid, () => loader.run(job));
  const perSecond = result.successCount / result.seconds;
  console.error(`${name}: ${Math.round(perSecond)}/s`);
  return { perSecond, p99Ms: result.p99Ms, cpuMicroseconds: cpuMs && (cpuMs * 1000) / result.successCount };
}

function toFigures(rows: Row[], rounds: Sample[][]): ThroughputFigures[] {
  return rows.map(({ name, raw, target }, i) => {
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
      rawHttpRatio: raw && computeMedian(samples.map(({ perSecond, rawPerSecond }) => perSecond / rawPerSecond!)),
      target,
    };
  });
}

/** Compares each row with its target, and the CPU time of a wrap with MAX_WRAP_CPU_US. */
export function checkThroughput(figures: ThroughputFigures[]): Check[] {
  const ratioChecks = figures.flatMap(({ name, bareNextRatio, rawHttpRatio, target }) => {
    if (target === null) return [];
    const ratio = rawHttpRatio ?? bareNextRatio;
    const reference = rawHttpRatio === null ? "bare Next" : "raw node:http";
    return [{ name, target: `≥ ${target} × ${reference}`, measured: `${ratio.toFixed(2)} ×`, isMet: ratio >= target }];
  });
  const wrapCpuUs = figures.find(({ name }) => name.startsWith("POST /api/wrap"))?.cpuMicroseconds ?? null;
  if (wrapCpuUs === null) return ratioChecks;
  const cpuCheck = {
    name: "CPU of a wrap",
    target: `≤ ${MAX_WRAP_CPU_US} µs`,
    measured: `${wrapCpuUs.toFixed(0)} µs`,
    isMet: wrapCpuUs <= MAX_WRAP_CPU_US,
  };
  return [...ratioChecks, cpuCheck];
}

/** Returns the median; NaN for an empty list. */
export function computeMedian(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
