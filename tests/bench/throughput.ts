import type { Loader } from "./loader";
import { get, type Load, serviceLoads } from "./loads";
import type { BenchOptions } from "./options";
import { cpuMs } from "./proc";
import type { Check } from "./report";
import { type Subject, startApp, startBareNext, startNextDoor, startRawHttp } from "./subject-process";
import { makeWallets } from "./wallets";

export const CONNECTIONS = 32;

interface Row {
  name: string;
  subject: Subject;
  load: Load;
  /** Least ratio to the bare Next handler; null for what is only shown. */
  target: number | null;
}

export interface Figures {
  name: string;
  perSecond: number;
  lowest: number;
  highest: number;
  p99Ms: number;
  /** Of the server's process, all its threads; null where the system does not tell. */
  cpuMicroseconds: number | null;
  toBareNext: number;
  toRawHttp: number;
  target: number | null;
}

/** Requests a second of every row, all warmed first and then measured in turns, so that a slower minute of the machine meets all. */
export async function measureThroughput(options: BenchOptions, loader: Loader, folder: string): Promise<Figures[]> {
  const subjects: Subject[] = [];
  const start = async <T extends Subject>(starting: Promise<T>): Promise<T> => {
    const subject = await starting;
    subjects.push(subject);
    return subject;
  };
  try {
    const app = await start(startApp(`${folder}/server`));
    const rows = rowsOf({
      bare: await start(startBareNext(folder)),
      raw: await start(startRawHttp(folder)),
      next: await start(startNextDoor(`${folder}/next`, app.rpc)),
      app,
      loads: serviceLoads(await makeWallets(app.url, options.wallets)),
    });
    for (const row of rows) await measure(row, loader, options.warmSeconds);
    const rounds: Sample[][] = [];
    for (let round = 0; round < options.rounds; round++) {
      const samples: Sample[] = [];
      for (const row of rows) samples.push(await measure(row, loader, options.measureSeconds));
      rounds.push(samples);
    }
    return toFigures(rows, rounds);
  } finally {
    for (const subject of subjects.reverse()) await subject.stop();
  }
}

function rowsOf({
  bare,
  raw,
  next,
  app,
  loads,
}: Record<"bare" | "raw" | "next" | "app", Subject> & { loads: ReturnType<typeof serviceLoads> }): Row[] {
  return [
    { name: "bare Response.json under next start", subject: bare, load: get("/api/bare"), target: null },
    { name: "raw node:http", subject: raw, load: get("/"), target: null },
    { name: "GET /api/auth", subject: app, load: loads.auth, target: 5 },
    { name: "GET /api/plans", subject: app, load: loads.plans, target: 5 },
    { name: "GET /api/price", subject: app, load: loads.price, target: 5 },
    { name: "POST /api/roundup, signed", subject: app, load: loads.roundup, target: 3 },
    { name: "POST /api/wrap, signed", subject: app, load: loads.wrap, target: 2 },
    { name: "GET /api/portfolio", subject: app, load: loads.portfolio, target: 1 },
    { name: "GET /api/portfolio, nothing cached", subject: app, load: loads.strangers, target: null },
    { name: "GET /api/auth through Next", subject: next, load: loads.auth, target: 0.7 },
    { name: "GET /api/plans through Next", subject: next, load: loads.plans, target: 0.7 },
  ];
}

interface Sample {
  perSecond: number;
  p99Ms: number;
  cpuMicroseconds: number | null;
}

async function measure({ name, subject, load }: Row, loader: Loader, seconds: number): Promise<Sample> {
  const before = cpuMs(subject.pid);
  const result = await loader.run({ url: subject.url, connections: CONNECTIONS, seconds, ...load });
  const after = cpuMs(subject.pid);
  const perSecond = result.good / result.seconds;
  console.error(`${name}: ${Math.round(perSecond)}/s`);
  return {
    perSecond,
    p99Ms: result.p99Ms,
    cpuMicroseconds: before === null || after === null ? null : ((after - before) * 1000) / result.good,
  };
}

function toFigures(rows: Row[], rounds: Sample[][]): Figures[] {
  const samplesOf = (row: number) => rounds.map((samples) => samples[row]!);
  const rate = (row: number) => median(samplesOf(row).map(({ perSecond }) => perSecond));
  return rows.map(({ name, target }, i) => {
    const samples = samplesOf(i);
    const rates = samples.map(({ perSecond }) => perSecond);
    const cpu = samples.flatMap(({ cpuMicroseconds }) => cpuMicroseconds ?? []);
    return {
      name,
      perSecond: rate(i),
      lowest: Math.min(...rates),
      highest: Math.max(...rates),
      p99Ms: median(samples.map(({ p99Ms }) => p99Ms)),
      cpuMicroseconds: cpu.length > 0 ? median(cpu) : null,
      // In each round against the same round: what slowed one slowed the other.
      toBareNext: median(rounds.map((round) => round[i]!.perSecond / round[0]!.perSecond)),
      toRawHttp: median(rounds.map((round) => round[i]!.perSecond / round[1]!.perSecond)),
      target,
    };
  });
}

export function throughputChecks(figures: Figures[]): Check[] {
  return figures.flatMap(({ name, toBareNext, target }) =>
    target === null
      ? []
      : [{ name, target: `≥ ${target} × bare Next`, found: `${toBareNext.toFixed(2)} ×`, ok: toBareNext >= target }],
  );
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
