import { cpus } from "node:os";
import type { MemoryFigures } from "./addresses";
import type { InstancesFigures } from "./instances";
import type { Node24Figures } from "./node24";
import type { BenchOptions } from "./options";
import type { StorageFigures } from "./storage";
import { CONNECTIONS, type ThroughputFigures } from "./throughput";

/** One target: the wanted value and the measured value, as texts. */
export interface Check {
  name: string;
  target: string;
  measured: string;
  isMet: boolean;
}

export interface Findings {
  options: BenchOptions;
  /** Absent: not measured. This also holds for the optional figures below. */
  throughput?: ThroughputFigures[];
  /** Null when Node 24 was not available. */
  node24?: Node24Figures | null;
  addresses?: MemoryFigures;
  /** Null when this machine has no redis-server. */
  instances?: InstancesFigures[] | null;
  storage?: StorageFigures;
  checks: Check[];
}

/** Formats the whole report as Markdown that is also readable on a terminal. */
export function formatReport({ options, throughput, node24, addresses, instances, storage, checks }: Findings): string {
  const processorName = cpus()[0]?.model ?? "unknown processor";
  const missedCount = checks.filter(({ isMet }) => !isMet).length;
  return [
    "# Bench",
    "",
    `${new Date().toISOString().slice(0, 16)}Z, ${cpus().length} cores (${processorName}), Node ${process.versions.node}.`,
    options.isQuick ? "A quick run: too short to be quoted." : "",
    missedCount === 0 ? "Every target is met." : `**${missedCount} of ${checks.length} targets missed.**`,
    "",
    formatTable(
      ["Target", "Wanted", "Found", ""],
      checks.map(({ name, target, measured, isMet }) => [name, target, measured, isMet ? "ok" : "**MISSED**"]),
    ),
    ...(throughput ? ["## Throughput", "", describeMethod(options), "", formatThroughput(throughput)] : []),
    ...(node24 === undefined ? [] : ["## Throughput on Node 24", "", formatNode24(node24)]),
    ...(instances ? ["## Instances", "", formatInstances(instances)] : []),
    ...(storage ? ["## Kept for a wallet", "", formatStorage(storage)] : []),
    ...(addresses ? ["## Memory", "", formatMemory(addresses)] : []),
  ]
    .join("\n")
    .replace(/\n{3,}/g, "\n\n");
}

function describeMethod({ warmSeconds, measureSeconds, roundCount, walletCount }: BenchOptions): string {
  return [
    `Each row runs in a separate, warm process: ${warmSeconds} s of load, then ${roundCount} rounds that measure each row for ${measureSeconds} s.`,
    `The figures are medians. A separate load process keeps ${CONNECTIONS} connections, prepares all requests and sends each from a different address. Every answer is a 2xx.`,
    `${walletCount} wallets. Requests in flight rarely build the same transaction.`,
  ].join("\n");
}

function formatThroughput(figures: ThroughputFigures[]): string {
  return formatTable(
    ["", "requests/s", "rounds", "p99 ms", "CPU µs/request", "× bare Next"],
    figures.map((row) => [
      row.name,
      row.perSecond.toFixed(0),
      `${row.lowestPerSecond.toFixed(0)}–${row.highestPerSecond.toFixed(0)}`,
      row.p99Ms.toFixed(0),
      row.cpuMicroseconds?.toFixed(0) ?? "",
      row.bareNextRatio.toFixed(2),
    ]),
  );
}

function formatNode24(node24: Node24Figures | null): string {
  if (node24 === null) return "Not measured: npm's `node` package could not be fetched.\n";
  return `The same rows under Node ${node24.version}, bare Next included.\n\n${formatThroughput(node24.throughput)}`;
}

function formatInstances(figures: InstancesFigures[]): string {
  const rows = figures.map(({ name, oneInstance, twoInstances, ratio }) => [
    name,
    oneInstance.toFixed(0),
    twoInstances.toFixed(0),
    ratio.toFixed(2),
  ]);
  return [
    "Compares two instances on one Redis behind a proxy with one instance behind the same proxy.",
    "The load, the proxy and Redis share the processor.",
    "",
    formatTable(["", "one, requests/s", "two, requests/s", "ratio"], rows),
  ].join("\n");
}

function formatStorage({ kinds }: StorageFigures): string {
  const rows = kinds.map(({ kind, records, bytes }) => [kind, String(records), String(bytes)]);
  return formatTable(["record", "number", "bytes of keys and values"], rows);
}

function formatMemory({ addressCount, seconds, warmMb, halfwayMb, endMb, peakMb }: MemoryFigures): string {
  const formatMb = (value: number) => `${value.toFixed(0)} MB`;
  return [
    `${addressCount.toLocaleString("en")} distinct client addresses over HTTP in ${seconds.toFixed(0)} s.`,
    `Resident memory of the server: ${formatMb(warmMb)} warmed, ${formatMb(halfwayMb)} half-way, ${formatMb(endMb)} at the end, ${formatMb(peakMb)} at its peak.`,
    "",
  ].join("\n");
}

/** Formats a Markdown table whose columns are aligned in the source too. */
export function formatTable(head: string[], rows: string[][]): string {
  const widths = head.map((title, i) => Math.max(title.length, 3, ...rows.map((row) => row[i]!.length)));
  const formatLine = (cells: string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i]!)).join(" | ")} |`;
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  return [formatLine(head), rule, ...rows.map(formatLine), ""].join("\n");
}
