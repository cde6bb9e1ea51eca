import { setTimeout } from "node:timers/promises";
import type { Loader } from "./loader";
import { createGetLoad } from "./loads";
import type { BenchOptions } from "./options";
import { readResidentMb } from "./proc";
import type { Check } from "./report";
import { startApp } from "./subject-process";
import { CONNECTIONS } from "./throughput";

const SAMPLE_MS = 250;
/** Maximum memory for 100,000 remembered addresses. A million addresses would take ten times as much. */
const MAX_KEPT_MB = 150;
/** MAX_KEPT_MB plus the garbage between two full collections at 20,000 calls a second. */
const MAX_PEAK_MB = 400;

const BUSY_ADDRESS = "192.0.2.77";
const BUSY_CALLS = 61;
/** At this pace 61 calls take half a minute. */
const BUSY_INTERVAL_MS = 500;

export interface AddressFigures {
  addresses: number;
  seconds: number;
  warmMb: number;
  peakMb: number;
  /** Memory after the first and after the second half of the flood. A leak would show between the two. */
  halfMb: number;
  endMb: number;
  /** Statuses of the busy address's calls, in order. */
  busy: number[];
}

/** Sends calls from distinct addresses. During this flood one more address makes 61 calls in half a minute. */
export async function measureAddresses(options: BenchOptions, loader: Loader, folder: string): Promise<AddressFigures> {
  const app = await startApp(`${folder}/addresses`);
  try {
    const auth = { url: app.url, connections: CONNECTIONS, ...createGetLoad("/api/auth") };
    // Warms up with the addresses that begin the flood, so that the measurement does not include warming up.
    await loader.run({ ...auth, seconds: options.warmSeconds });
    const warmMb = readResidentMb(app.pid);
    const samples: number[] = [];
    const sampler = setInterval(() => samples.push(readResidentMb(app.pid)), SAMPLE_MS);
    const busy = callAsBusyAddress(app.url);
    // If the flood fails too, its failure is the one to report.
    busy.catch(() => {});
    const flood = await loader.run({ ...auth, amount: options.addresses });
    clearInterval(sampler);
    return {
      addresses: flood.good,
      seconds: flood.seconds,
      warmMb,
      peakMb: Math.max(...samples),
      halfMb: samples[samples.length >> 1] ?? warmMb,
      endMb: readResidentMb(app.pid),
      busy: await busy,
    };
  } finally {
    await app.stop();
  }
}

async function callAsBusyAddress(url: string): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < BUSY_CALLS; i++) {
    const response = await fetch(`${url}/api/plans`, { headers: { "x-forwarded-for": BUSY_ADDRESS } });
    await response.arrayBuffer();
    statuses.push(response.status);
    await setTimeout(BUSY_INTERVAL_MS);
  }
  return statuses;
}

export function checkAddresses({ addresses, warmMb, peakMb, endMb, busy }: AddressFigures): Check[] {
  const keptMb = endMb - warmMb;
  const peak = peakMb - warmMb;
  const firstRefused = busy.indexOf(429) + 1;
  return [
    {
      name: `Memory under ${addresses.toLocaleString("en")} distinct addresses`,
      target: `≤ ${MAX_KEPT_MB} MB more after it, ≤ ${MAX_PEAK_MB} at its peak`,
      found: `${keptMb.toFixed(0)} MB more, ${peak.toFixed(0)} at its peak`,
      ok: keptMb <= MAX_KEPT_MB && peak <= MAX_PEAK_MB,
    },
    {
      name: "A busy address in the middle of it",
      target: "61st call in a minute refused",
      found: firstRefused === 0 ? "none refused" : `call ${firstRefused} refused`,
      ok: firstRefused === BUSY_CALLS && busy.filter((status) => status === 200).length === BUSY_CALLS - 1,
    },
  ];
}
