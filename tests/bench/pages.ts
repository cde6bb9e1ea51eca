import type { Loader } from "./loader";
import { startApp } from "./measured-server";
import type { BenchOptions } from "./options";
import { measureCpuMs } from "./process-usage";
import type { Check } from "./report";
import { computeMedian } from "./throughput";

const PAGES = ["/", "/docs", "/dashboard", "/tx/abc", "/docs/the-loop"];
/** Maximum CPU time of the server for one page. */
const MAX_CPU_MS = 1;
/** Maximum sizes after compression, of the API reference and of the other pages. */
const MAX_DOCS_KB = 60;
const MAX_OTHER_KB = 20;
const CROWD_CONNECTIONS = 100;
/** Number of API calls whose median time counts. */
const API_CALL_COUNT = 200;
const WARM_SECONDS = 2;

interface PageFigures {
  path: string;
  /** CPU time of the whole server for one page; null when the system does not report it. */
  cpuMs: number | null;
  /** Size after compression. */
  compressedKb: number;
}

export interface PagesFigures {
  pages: PageFigures[];
  /** Median time of sequential GET /api/auth calls in ms: alone, and beside 100 connections that load the reference. */
  apiAloneMs: number;
  apiBesideMs: number;
}

/** Measures what pages cost the process that also answers the API. */
export async function measurePages(
  { measureSeconds }: BenchOptions,
  loader: Loader,
  folder: string,
): Promise<PagesFigures> {
  const app = await startApp(`${folder}/pages`);
  const sendLoad = (path: string, seconds: number, connections = 16) =>
    loader.run({ url: app.url, connections, seconds, method: "GET", requests: [{ path, headers: BROTLI_HEADERS }] });
  try {
    const pages: PageFigures[] = [];
    for (const path of PAGES) {
      await sendLoad(path, WARM_SECONDS);
      const { result, cpuMs } = await measureCpuMs(app.pid, () => sendLoad(path, measureSeconds));
      pages.push({
        path,
        cpuMs: cpuMs && cpuMs / result.successCount,
        compressedKb: await measureCompressedKb(app.url + path),
      });
    }
    const apiAloneMs = await measureApiMs(app.url);
    const crowdLoad = sendLoad("/docs", measureSeconds, CROWD_CONNECTIONS);
    const apiBesideMs = await measureApiMs(app.url);
    await crowdLoad;
    return { pages, apiAloneMs, apiBesideMs };
  } finally {
    await app.stop();
  }
}

const BROTLI_HEADERS = { "accept-encoding": "br" };

async function measureCompressedKb(url: string): Promise<number> {
  const response = await fetch(url, { headers: BROTLI_HEADERS });
  await response.arrayBuffer();
  return Number(response.headers.get("content-length")) / 1000;
}

async function measureApiMs(url: string): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < API_CALL_COUNT; i++) {
    const startedAt = performance.now();
    const response = await fetch(`${url}/api/auth`, { headers: { "x-forwarded-for": `198.51.100.${i % 250}` } });
    await response.arrayBuffer();
    times.push(performance.now() - startedAt);
  }
  return computeMedian(times);
}

export function checkPages({ pages, apiAloneMs, apiBesideMs }: PagesFigures): Check[] {
  return [
    ...pages.map(({ path, cpuMs, compressedKb }) => {
      const maxKb = path === "/docs" ? MAX_DOCS_KB : MAX_OTHER_KB;
      return {
        name: `Page ${path}: CPU, brotli`,
        target: `≤ ${MAX_CPU_MS} ms, < ${maxKb} kB`,
        measured: `${cpuMs === null ? "unknown" : `${cpuMs.toFixed(2)} ms`}, ${compressedKb.toFixed(1)} kB`,
        isMet: (cpuMs ?? 0) <= MAX_CPU_MS && compressedKb > 0 && compressedKb < maxKb,
      };
    }),
    {
      name: `GET /api/auth beside ${CROWD_CONNECTIONS} connections that load /docs, median`,
      target: "≤ 100 ms",
      measured: `${apiBesideMs.toFixed(1)} ms, alone ${apiAloneMs.toFixed(1)} ms`,
      isMet: apiBesideMs <= 100,
    },
  ];
}
