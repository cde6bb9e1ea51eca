import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Loader } from "./loader";
import { createServiceLoads, type LoadName } from "./loads";
import { startApp, startNextApp } from "./measured-server";
import type { BenchOptions } from "./options";
import { CONNECTIONS } from "./throughput";
import { createUsers } from "./users";

/** Maximum number of rows of each printed list. */
const MAX_ROWS = 40;

interface CpuProfile {
  nodes: {
    id: number;
    callFrame: { functionName: string; url: string; lineNumber: number; columnNumber: number };
    children?: number[];
  }[];
  samples: number[];
  /** Microseconds between two samples. */
  timeDeltas: number[];
}

/** Runs one load against a profiled server and prints which functions used the CPU. */
export async function profileLoad(
  name: LoadName,
  options: BenchOptions,
  loader: Loader,
  folder: string,
): Promise<void> {
  const profilesFolder = join(folder, "profiles");
  mkdirSync(profilesFolder, { recursive: true });
  const nodeArgs = ["--cpu-prof", `--cpu-prof-dir=${profilesFolder}`];
  const app = await startApp(`${folder}/server`, {}, nodeArgs);
  const next = options.door === "next" ? await startNextApp(`${folder}/next`, app.rpcUrl, nodeArgs) : null;
  const profiledServer = next ?? app;
  try {
    const load = createServiceLoads(await createUsers(app.url, options.walletCount))[name];
    const job = { url: profiledServer.url, connections: CONNECTIONS, ...load };
    await loader.run({ ...job, seconds: options.warmSeconds });
    const { successCount, seconds } = await loader.run({ ...job, seconds: options.measureSeconds });
    console.log(`${name}: ${Math.round(successCount / seconds)}/s while profiled`);
  } finally {
    await next?.stop();
    await app.stop();
  }
  const fileName = readdirSync(profilesFolder).find((entry) => entry.includes(`.${profiledServer.pid}.`));
  if (!fileName) throw new Error("the server wrote no profile");
  printProfile(JSON.parse(readFileSync(join(profilesFolder, fileName), "utf8")), options.measureSeconds);
}

/** Prints where the CPU time of the last seconds went. Before them, the server starts and warms up. */
function printProfile({ nodes, samples, timeDeltas }: CpuProfile, seconds: number): void {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, mapToSource(callFrame)]));
  const callerIds = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const ownMicrosByFunction = new Map<string, number>();
  const totalMicrosByFunction = new Map<string, number>();
  const microsByPlace = new Map<string, number>();
  let remainingMicros = seconds * 1e6;
  let busyMicros = 0;
  for (let i = samples.length - 1; i >= 0 && remainingMicros > 0; i--) {
    const micros = timeDeltas[i]!;
    const frame = frames.get(samples[i]!)!;
    remainingMicros -= micros;
    if (frame.functionName === "(idle)") continue;
    busyMicros += micros;
    addMicros(ownMicrosByFunction, describeFrame(frame), micros);
    addMicros(microsByPlace, describePlace(frame.url) || frame.functionName, micros);
    const stack = new Set<string>();
    for (let id = samples[i]; id !== undefined; id = callerIds.get(id)) stack.add(describeFrame(frames.get(id)!));
    for (const name of stack) addMicros(totalMicrosByFunction, name, micros);
  }
  console.log(`\nThe main thread was busy ${((busyMicros / (seconds * 1e6)) * 100).toFixed(0)} % of the time.\n`);
  printTop("By file or package, own time", microsByPlace, busyMicros);
  printTop("By function, own time", ownMicrosByFunction, busyMicros);
  printTop("By function, with what it calls", totalMicrosByFunction, busyMicros);
}

const rootFolder = fileURLToPath(new URL("../..", import.meta.url));
const BUNDLE_PATH = join(rootFolder, ".next/server.mjs");

type Frame = CpuProfile["nodes"][number]["callFrame"];

/** Maps a frame of the bundled server back to its source file. */
function mapToSource(frame: Frame): Frame {
  if (!frame.url.endsWith(BUNDLE_PATH)) return frame;
  const entry = readSourceMap().findEntry(frame.lineNumber, frame.columnNumber);
  if (!("originalSource" in entry)) return frame;
  return {
    ...frame,
    url: new URL(entry.originalSource, pathToFileURL(BUNDLE_PATH)).href,
    lineNumber: entry.originalLine,
  };
}

let sourceMap: SourceMap | undefined;
function readSourceMap(): SourceMap {
  sourceMap ??= new SourceMap(JSON.parse(atob(readFileSync(BUNDLE_PATH, "utf8").split("base64,").at(-1)!)));
  return sourceMap;
}

function describeFrame({ functionName, url, lineNumber }: Frame): string {
  return `${functionName || "(anonymous)"}  ${describePlace(url)}${url ? `:${lineNumber + 1}` : ""}`;
}

/** Returns the name of a package, or a file of this repository. */
function describePlace(url: string): string {
  const path = url.startsWith("file:") ? relative(rootFolder, fileURLToPath(url)) : url;
  return /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path;
}

const addMicros = (sums: Map<string, number>, key: string, micros: number) =>
  sums.set(key, (sums.get(key) ?? 0) + micros);

function printTop(title: string, sums: Map<string, number>, totalMicros: number): void {
  console.log(`${title}:`);
  const largestSums = [...sums].sort((a, b) => b[1] - a[1]).slice(0, MAX_ROWS);
  for (const [name, micros] of largestSums)
    console.log(`${((micros / totalMicros) * 100).toFixed(1).padStart(6)} %  ${name}`);
  console.log();
}
