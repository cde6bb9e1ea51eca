import { setTimeout } from "node:timers/promises";
import type { Loader } from "./loader";
import { createGetLoad } from "./loads";
import { startApp } from "./measured-server";
import type { BenchOptions } from "./options";
import { readResidentMb } from "./process-usage";
import type { Check } from "./report";
import { CONNECTIONS } from "./throughput";

const SAMPLE_MS = 250;
/** Maximum memory for 100,000 remembered addresses. A million addresses would take ten times as much. */
const MAX_REMAINING_MB = 150;
/** MAX_REMAINING_MB plus the garbage between two full collections at 20,000 calls a second. */
const MAX_PEAK_MB = 400;

const BUSY_ADDRESS = "192.0.2.77";
/** Number of calls of the busy address, one more than the limit of a minute. */
const BUSY_CALLS = 61;
/** Time between two calls of the busy address. 61 calls then take half a minute. */
const BUSY_INTERVAL_MS = 500;

export interface MemoryFigures {
  /** Number of distinct addresses. */
  addressCount: number;
  seconds: number;
  /** Resident memory before the flood. */
  warmMb: number;
  peakMb: number;
  /** Resident memory after the first and after the second half of the flood. With a leak, they differ. */
  halfwayMb: number;
  endMb: number;
  /** Statuses of the busy address's calls, in order. */
  busyStatuses: number[];
}

/** Sends calls from distinct addresses. During this flood, a further address makes 61 calls in half a minute. */
export async function measureAddresses(options: BenchOptions, loader: Loader, folder: string): Promise<MemoryFigures> {
  const app = await startApp(`${folder}/addresses`);
  try {
    const authLoad = { url: app.url, connections: CONNECTIONS, ...createGetLoad("/api/auth") };
    // Warm up with the addresses that begin the flood, so that the measurement does not include the warm-up.
    await loader.run({ ...authLoad, seconds: options.warmSeconds });
    const warmMb = readResidentMb(app.pid);
    const samples: number[] = [];
    const sampler = setInterval(() => samples.push(readResidentMb(app.pid)), SAMPLE_MS);
    const busyCalls = callAsBusyAddress(app.url);
    // If both fail, the bench reports the failure of the flood.
    busyCalls.catch(() => {});
    const flood = await loader.run({ ...authLoad, requestCount: options.addressCount });
    clearInterval(sampler);
    return {
      addressCount: flood.successCount,
      seconds: flood.seconds,
      warmMb,
      peakMb: Math.max(...samples),
      halfwayMb: samples[samples.length >> 1] ?? warmMb,
      endMb: readResidentMb(app.pid),
      busyStatuses: await busyCalls,
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

export function checkAddresses({ addressCount, warmMb, peakMb, endMb, busyStatuses }: MemoryFigures): Check[] {
  const remainingMb = endMb - warmMb;
  const addedPeakMb = peakMb - warmMb;
  const firstRefusedCall = busyStatuses.indexOf(429) + 1;
  return [
    {
      name: `Memory under ${addressCount.toLocaleString("en")} distinct addresses`,
      target: `≤ ${MAX_REMAINING_MB} MB more after it, ≤ ${MAX_PEAK_MB} at its peak`,
      measured: `${remainingMb.toFixed(0)} MB more, ${addedPeakMb.toFixed(0)} at its peak`,
      isMet: remainingMb <= MAX_REMAINING_MB && addedPeakMb <= MAX_PEAK_MB,
    },
    {
      name: "A busy address in the middle of it",
      target: "61st call in a minute refused",
      measured: firstRefusedCall === 0 ? "none refused" : `call ${firstRefusedCall} refused`,
      isMet:
        firstRefusedCall === BUSY_CALLS && busyStatuses.filter((status) => status === 200).length === BUSY_CALLS - 1,
    },
  ];
}
