import { setTimeout } from "node:timers/promises";
import { sandboxRpc } from "../support/app/app";
import type { Check } from "./report";
import { startApp } from "./subject-process";
import { computeMedian } from "./throughput";
import { type BenchWallet, createWallets } from "./wallets";

/** Added to every answer of the chain and of the market. */
const DELAY_MS = 50;
/** Maximum excess of a median over its round trips. */
const SLACK_MS = 10;
const CALLS = 15;
/** Longer than the service caches anything about a wallet. */
const CACHE_EXPIRY_MS = 450;

interface MeasuredCall {
  name: string;
  roundTrips: number;
  call(wallet: BenchWallet): [path: string, body?: object];
}

const MEASURED_CALLS: MeasuredCall[] = [
  {
    name: "POST /api/wrap",
    roundTrips: 1,
    call: ({ address, serviceWallet }) => [
      "/api/wrap",
      { txValueUsd: 27.63, userPubkey: address, serviceWalletPubkey: serviceWallet },
    ],
  },
  { name: "GET /api/accumulator", roundTrips: 1, call: ({ serviceWallet }) => [`/api/accumulator/${serviceWallet}`] },
  { name: "GET /api/portfolio", roundTrips: 1, call: ({ serviceWallet }) => [`/api/portfolio/${serviceWallet}`] },
  {
    name: "POST /api/swap/build",
    roundTrips: 3,
    call: ({ serviceWallet }) => ["/api/swap/build", { serviceWalletPubkey: serviceWallet }],
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
  const app = await startApp(`${folder}/upstream`);
  try {
    const [wallet] = await createWallets(app.url, 1);
    const measureMedians = async () => {
      const medians: number[] = [];
      for (const { call } of MEASURED_CALLS) medians.push(await measureMedianMs(app.url, wallet!, call(wallet!)));
      return medians;
    };
    await measureMedians();
    const quick = await measureMedians();
    await sandboxRpc(app.rpc, "sandbox_setFault", [{ target: "*", mode: "slow", delayMs: DELAY_MS }]);
    const slow = await measureMedians();
    return MEASURED_CALLS.map(({ name, roundTrips }, i) => ({ name, roundTrips, addedMs: slow[i]! - quick[i]! }));
  } finally {
    await app.stop();
  }
}

async function measureMedianMs(
  url: string,
  wallet: BenchWallet,
  [path, body]: ReturnType<MeasuredCall["call"]>,
): Promise<number> {
  const times: number[] = [];
  const send = body && { method: "POST", body: JSON.stringify(body) };
  for (let i = 0; i < CALLS; i++) {
    await setTimeout(CACHE_EXPIRY_MS);
    const headers = { "content-type": "application/json", "x-forwarded-for": `192.0.2.${i}`, ...wallet.headers };
    const started = performance.now();
    const response = await fetch(url + path, { ...send, headers });
    const text = await response.text();
    times.push(performance.now() - started);
    if (!response.ok) throw new Error(`${path}: ${text}`);
  }
  return computeMedian(times);
}

export function checkUpstream(figures: UpstreamFigures[]): Check[] {
  return figures.map(({ name, roundTrips, addedMs }) => {
    const maxMs = roundTrips * DELAY_MS + SLACK_MS;
    return {
      name: `${name}, every upstream call ${DELAY_MS} ms longer`,
      target: `≤ ${maxMs} ms more: ${roundTrips === 1 ? "one round trip" : `${roundTrips} round trips`}`,
      found: `${addedMs.toFixed(0)} ms more`,
      ok: addedMs <= maxMs,
    };
  });
}
