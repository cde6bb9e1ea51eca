import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Loader } from "./loader";
import { createServiceLoads, type LoadName } from "./loads";
import type { BenchOptions } from "./options";
import { startApp, startNextApp } from "./subject-process";
import { CONNECTIONS } from "./throughput";
import { createWallets } from "./wallets";

const MAX_ROWS = 40;

interface CpuProfile {
  nodes: {
    id: number;
    callFrame: { functionName: string; url: string; lineNumber: number; columnNumber: number };
    children?: number[];
  }[];
  samples: number[];
  /** Microseconds between samples. */
  timeDeltas: number[];
}

/** Runs one load against a profiled server and prints which functions used the CPU. */
export async function profileLoad(
  name: LoadName,
  options: BenchOptions,
  loader: Loader,
  folder: string,
): Promise<void> {
  const profiles = join(folder, "profiles");
  mkdirSync(profiles, { recursive: true });
  const nodeArgs = ["--cpu-prof", `--cpu-prof-dir=${profiles}`];
  const app = await startApp(`${folder}/server`, {}, nodeArgs);
  const next = options.door === "next" ? await startNextApp(`${folder}/next`, app.rpc, nodeArgs) : null;
  const profiled = next ?? app;
  try {
    const load = createServiceLoads(await createWallets(app.url, options.wallets))[name];
    const job = { url: profiled.url, connections: CONNECTIONS, ...load };
    await loader.run({ ...job, seconds: options.warmSeconds });
    const { good, seconds } = await loader.run({ ...job, seconds: options.measureSeconds });
    console.log(`${name}: ${Math.round(good / seconds)}/s while profiled`);
  } finally {
    await next?.stop();
    await app.stop();
  }
  const file = readdirSync(profiles).find((entry) => entry.includes(`.${profiled.pid}.`));
  if (!file) throw new Error("the server wrote no profile");
  printProfile(JSON.parse(readFileSync(join(profiles, file), "utf8")), options.measureSeconds);
}

/** Counts only the last seconds. Before them the server starts and warms up. */
function printProfile({ nodes, samples, timeDeltas }: CpuProfile, seconds: number): void {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, mapToSource(callFrame)]));
  const callers = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const functions = new Map<string, number>();
  const inclusive = new Map<string, number>();
  const places = new Map<string, number>();
  let remainingMicros = seconds * 1e6;
  let busy = 0;
  for (let i = samples.length - 1; i >= 0 && remainingMicros > 0; i--) {
    const micros = timeDeltas[i]!;
    const frame = frames.get(samples[i]!)!;
    remainingMicros -= micros;
    if (frame.functionName === "(idle)") continue;
    busy += micros;
    add(functions, describeFrame(frame), micros);
    add(places, describePlace(frame.url) || frame.functionName, micros);
    const stack = new Set<string>();
    for (let id = samples[i]; id !== undefined; id = callers.get(id)) stack.add(describeFrame(frames.get(id)!));
    for (const name of stack) add(inclusive, name, micros);
  }
  console.log(`\nThe main thread was busy ${((busy / (seconds * 1e6)) * 100).toFixed(0)} % of the time.\n`);
  printTop("By file or package, own time", places, busy);
  printTop("By function, own time", functions, busy);
  printTop("By function, with what it calls", inclusive, busy);
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const BUNDLE = join(root, ".next/server.mjs");

type Frame = CpuProfile["nodes"][number]["callFrame"];

/** Maps a frame of the start.mjs bundle back to its source file. */
function mapToSource(frame: Frame): Frame {
  if (!frame.url.endsWith(BUNDLE)) return frame;
  const entry = readSourceMap().findEntry(frame.lineNumber, frame.columnNumber);
  if (!("originalSource" in entry)) return frame;
  return { ...frame, url: new URL(entry.originalSource, pathToFileURL(BUNDLE)).href, lineNumber: entry.originalLine };
}

let map: SourceMap | undefined;
function readSourceMap(): SourceMap {
  map ??= new SourceMap(JSON.parse(atob(readFileSync(BUNDLE, "utf8").split("base64,").at(-1)!)));
  return map;
}

function describeFrame({ functionName, url, lineNumber }: Frame): string {
  return `${functionName || "(anonymous)"}  ${describePlace(url)}${url ? `:${lineNumber + 1}` : ""}`;
}

/** Returns the name of a package, or a file of this repository. */
function describePlace(url: string): string {
  const path = url.startsWith("file:") ? relative(root, fileURLToPath(url)) : url;
  return /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path;
}

const add = (sums: Map<string, number>, key: string, micros: number) => sums.set(key, (sums.get(key) ?? 0) + micros);

function printTop(title: string, sums: Map<string, number>, total: number): void {
  console.log(`${title}:`);
  const top = [...sums].sort((a, b) => b[1] - a[1]).slice(0, MAX_ROWS);
  for (const [name, micros] of top) console.log(`${((micros / total) * 100).toFixed(1).padStart(6)} %  ${name}`);
  console.log();
}
