import { findFreePort } from "../support/app/app";
import { startMeasuredServer } from "./measured-server";
import type { BenchOptions } from "./options";
import type { Check } from "./report";
import { computeMedian } from "./throughput";

/** Maximum time from the command to the first answer. */
const MAX_SECONDS = 5;

export interface StartFigures {
  /** Median time from the command to the first successful answer in a new data folder. */
  freshSeconds: number;
  /** The same time in an existing data folder. */
  existingSeconds: number;
}

/**
 * Measures `npm start` of the built app until GET /api/auth is answered, first in new data folders and then in the
 * same folders.
 */
export async function measureStart({ startCount }: BenchOptions, folder: string): Promise<StartFigures> {
  const freshTimes: number[] = [];
  const existingTimes: number[] = [];
  for (let i = 0; i < startCount; i++) {
    const dataDir = `${folder}/start-${i}`;
    freshTimes.push(await measureStartSeconds(dataDir));
    existingTimes.push(await measureStartSeconds(dataDir));
  }
  return { freshSeconds: computeMedian(freshTimes), existingSeconds: computeMedian(existingTimes) };
}

async function measureStartSeconds(dataDir: string): Promise<number> {
  const env = { DATA_DIR: dataDir, SANDBOX_PORT: String(await findFreePort()), CLIENT_IP: "proxy:1" };
  const startedAt = performance.now();
  const app = await startMeasuredServer({ command: "npm", args: ["start"], env, dataDir, readinessPath: "/api/auth" });
  const seconds = (performance.now() - startedAt) / 1000;
  await app.stop();
  return seconds;
}

export function checkStart({ freshSeconds, existingSeconds }: StartFigures): Check[] {
  return [
    ["npm start to the first answer, new data folder", freshSeconds] as const,
    ["npm start to the first answer, existing data folder", existingSeconds] as const,
  ].map(([name, seconds]) => ({
    name,
    target: `< ${MAX_SECONDS} s`,
    measured: `${seconds.toFixed(1)} s`,
    isMet: seconds < MAX_SECONDS,
  }));
}
