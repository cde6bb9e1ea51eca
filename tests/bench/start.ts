import { findFreePort } from "../support/app/app";
import type { BenchOptions } from "./options";
import type { Check } from "./report";
import { startSubject } from "./subject-process";
import { computeMedian } from "./throughput";

/** Longest time from the command to the first answer. */
const MAX_SECONDS = 5;

export interface StartFigures {
  /** Median time from the command to the first successful answer in a new data folder, seconds. */
  fresh: number;
  /** The same in an existing data folder. */
  existing: number;
}

/**
 * Measures `npm start` of the built app until GET /api/auth is answered, in new data folders and again in the same
 * ones.
 */
export async function measureStart({ starts }: BenchOptions, folder: string): Promise<StartFigures> {
  const fresh: number[] = [];
  const existing: number[] = [];
  for (let i = 0; i < starts; i++) {
    const dataDir = `${folder}/start-${i}`;
    fresh.push(await measureOneStart(dataDir));
    existing.push(await measureOneStart(dataDir));
  }
  return { fresh: computeMedian(fresh), existing: computeMedian(existing) };
}

async function measureOneStart(dataDir: string): Promise<number> {
  const env = { DATA_DIR: dataDir, SANDBOX_PORT: String(await findFreePort()), CLIENT_IP: "proxy:1" };
  const started = performance.now();
  const app = await startSubject({ command: "npm", args: ["start"], env, dataDir, path: "/api/auth" });
  const seconds = (performance.now() - started) / 1000;
  await app.stop();
  return seconds;
}

export function checkStart({ fresh, existing }: StartFigures): Check[] {
  return [
    ["npm start to the first answer, new data folder", fresh] as const,
    ["npm start to the first answer, existing data folder", existing] as const,
  ].map(([name, seconds]) => ({
    name,
    target: `< ${MAX_SECONDS} s`,
    found: `${seconds.toFixed(1)} s`,
    ok: seconds < MAX_SECONDS,
  }));
}
