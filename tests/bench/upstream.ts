import { setTimeout } from "node:timers/promises";
import { sandboxRpc } from "../support/app/app";
import { startFaultySandbox } from "../support/app/sandbox-program";
import { startApp } from "./measured-server";
import type { Check } from "./report";
import { computeMedian } from "./throughput";
import { type BenchUser, callApi, createUsers } from "./users";

/** Delay that the sandbox adds to every answer of the chain and of the market, ms. */
const DELAY_MS = 50;
/** Maximum time that a call may take beyond its delayed round trips, ms. */
const SLACK_MS = 10;
/** Number of calls whose median time counts. */
const CALL_COUNT = 15;
/** Pause before a call, ms. The service caches nothing about a wallet for longer. */
const CACHE_EXPIRY_MS = 450;

interface MeasuredCall {
  name: string;
  /** Number of upstream calls that the service makes one after the other. */
  roundTrips: number;
  buildCall(user: BenchUser): [path: string, body?: object];
}

const MEASURED_CALLS: MeasuredCall[] = [
  {
    name: "POST /api/wrap",
    roundTrips: 1,
    buildCall: ({ address, serviceWallet }) => [
      "/api/wrap",
      { txValueUsd: 27.63, userPubkey: address, serviceWalletPubkey: serviceWallet },
    ],
  },
  {
    name: "GET /api/accumulator",
    roundTrips: 1,
    buildCall: ({ serviceWallet }) => [`/api/accumulator/${serviceWallet}`],
  },
  { name: "GET /api/portfolio", roundTrips: 1, buildCall: ({ serviceWallet }) => [`/api/portfolio/${serviceWallet}`] },
  {
    name: "POST /api/swap/build",
    roundTrips: 3,
    buildCall: ({ serviceWallet }) => ["/api/swap/build", { serviceWalletPubkey: serviceWallet }],
  },
];

export interface UpstreamFigures {
  name: string;
  roundTrips: number;
  /** Difference between the medians with and without the delay, ms. */
  addedMs: number;
}

/**
 * Measures how much a slow chain adds to calls that wait for it. Calls run one at a time, and no wallet data is cached.
 */
export async function measureUpstream(folder: string): Promise<UpstreamFigures[]> {
  const sandbox = await startFaultySandbox(`${folder}/upstream`);
  const app = await startApp(`${folder}/upstream`, sandbox.settings).catch(async (error) => {
    await sandbox.stop();
    throw error;
  });
  try {
    const [user] = await createUsers(app.url, 1);
    const measureMedians = async () => {
      const medians: number[] = [];
      for (const { buildCall } of MEASURED_CALLS) {
        const [path, body] = buildCall(user!);
        medians.push(await measureMedianMs(() => callApi(app.url, path, body, user!.headers)));
      }
      return medians;
    };
    await measureMedians();
    const normalMedians = await measureMedians();
    await sandboxRpc(app.rpcUrl, "sandbox_setFault", [{ target: "*", mode: "slow", delayMs: DELAY_MS }]);
    const delayedMedians = await measureMedians();
    return MEASURED_CALLS.map(({ name, roundTrips }, i) => ({
      name,
      roundTrips,
      addedMs: delayedMedians[i]! - normalMedians[i]!,
    }));
  } finally {
    await app.stop();
    await sandbox.stop();
  }
}

async function measureMedianMs(sendCall: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < CALL_COUNT; i++) {
    await setTimeout(CACHE_EXPIRY_MS);
    const startedAt = performance.now();
    await sendCall();
    times.push(performance.now() - startedAt);
  }
  return computeMedian(times);
}

export function checkUpstream(figures: UpstreamFigures[]): Check[] {
  return figures.map(({ name, roundTrips, addedMs }) => {
    const maxMs = roundTrips * DELAY_MS + SLACK_MS;
    return {
      name: `${name}, every upstream call ${DELAY_MS} ms longer`,
      target: `≤ ${maxMs} ms more: ${roundTrips === 1 ? "one round trip" : `${roundTrips} round trips`}`,
      measured: `${addedMs.toFixed(0)} ms more`,
      isMet: addedMs <= maxMs,
    };
  });
}
