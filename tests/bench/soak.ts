import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import autocannon from "autocannon";
import { createReferenceMark } from "../../lib/domain/reference";
import { makeFolder, removeFolder, sandboxRpc } from "../support/app/app";
import { startRedis } from "../support/store/redis-server";
import { toRequest } from "./load-job";
import { createServiceLoads, type Load } from "./loads";
import { startApp } from "./subject-process";
import { CONNECTIONS, computeMedian } from "./throughput";
import { type BenchWallet, call, createWallets, signTransaction } from "./wallets";

/*
 * `npm run soak [-- --store redis --minutes 30]`: loads the built app with half of the requests that it can answer, and
 * saves payments during the whole run. Exits with 1 unless memory and open files stay within 5 %, no answer is a 5xx,
 * and the chain holds each saving once.
 */

const CALIBRATION_SECONDS = 10;
const SAMPLE_MS = 5_000;
/** Largest relative change of memory and open files after warming up. */
const MAX_DRIFT = 0.05;
const WALLETS = 5;
/** Pause of a wallet between two savings. */
const PAUSE_MS = 2_000;

let upstreamFailures = 0;

const { values } = parseArgs({
  options: { store: { type: "string", default: "lmdb" }, minutes: { type: "string", default: "30" } },
});
const minutes = Number(values.minutes);
const folder = await makeFolder();
const redis = values.store === "redis" ? await startRedis() : null;
if (values.store === "redis" && !redis) throw new Error("This machine has no redis-server.");
const app = await startApp(folder, redis ? { REDIS_URL: `redis://127.0.0.1:${redis.port}` } : {});
try {
  const wallets = await createWallets(app.url, WALLETS);
  const { portfolio, price, roundup, wrap } = createServiceLoads(wallets);
  const loads = [portfolio, price, roundup, wrap];
  const calibration = await sendLoad(loads, CALIBRATION_SECONDS);
  const rate = Math.floor(calibration["2xx"] / calibration.duration / 2);
  console.log(`${values.store}: ${minutes} minutes at ${rate} requests a second, half of what it answers`);
  const endsAt = Date.now() + minutes * 60_000;
  const [answers, samples, ...saved] = await Promise.all([
    sendLoad(loads, minutes * 60, rate),
    sampleProcess(app.pid, endsAt),
    ...wallets.map((wallet) => saveRepeatedly(wallet, endsAt)),
  ]);
  const wrongReferences = await Promise.all(wallets.map((wallet, i) => findWrongReferences(wallet, saved[i]!)));
  report(answers, samples, saved.flat().length, wrongReferences.flat());
} finally {
  await app.stop();
  await redis?.stop();
  await removeFolder(folder);
}

/** Sends reads, round-ups and builds in turn. @param rate requests a second; as many as the app answers if undefined */
function sendLoad(loads: Load[], seconds: number, rate?: number): Promise<autocannon.Result> {
  let sent = 0;
  const setupRequest = (base: autocannon.Request) => ({
    ...base,
    ...toRequest(loads[sent % loads.length]!, Math.floor(sent++ / loads.length)),
  });
  return autocannon({
    url: app.url,
    connections: CONNECTIONS,
    duration: seconds,
    timeout: 30,
    ...(rate !== undefined && { overallRate: rate }),
    requests: [{ setupRequest }],
  });
}

interface Sample {
  megabytes: number;
  files: number;
}

async function sampleProcess(pid: number, endsAt: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  while (Date.now() < endsAt) {
    samples.push({ megabytes: readPrivateMb(pid), files: readdirSync(`/proc/${pid}/fd`).length });
    await setTimeout(SAMPLE_MS);
  }
  return samples;
}

/**
 * Returns the memory of a process in MB, without the pages of mapped files, because the embedded store maps its whole
 * file.
 */
function readPrivateMb(pid: number): number {
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

/** Saves one payment after another, and posts each transaction twice at once. @returns the references */
async function saveRepeatedly(wallet: BenchWallet, endsAt: number): Promise<string[]> {
  const references: string[] = [];
  while (Date.now() < endsAt) {
    const reference = `order ${references.length}`;
    const body = {
      txValueUsd: 20.83,
      userPubkey: wallet.address,
      serviceWalletPubkey: wallet.serviceWallet,
      reference,
    };
    const build = () => call<{ transaction: { base64: string } }>(app.url, "/api/wrap", body, wallet.headers);
    const wrap = await retryUpstream(build);
    const signed = { signedTransaction: signTransaction(wrap.transaction.base64, wallet.secretKey) };
    const post = () =>
      retryUpstream(() => call<{ confirmed: boolean }>(app.url, "/api/swap/execute", signed, wallet.headers));
    while (!(await Promise.all([post(), post()])).some(({ confirmed }) => confirmed));
    references.push(reference);
    await setTimeout(PAUSE_MS);
  }
  return references;
}

/** Repeats a call while the sandbox is too slow for the service. Counts these failures. */
async function retryUpstream<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!/"code":"upstream_/.test(String(error))) throw error;
      upstreamFailures++;
      await setTimeout(PAUSE_MS);
    }
  }
}

/** Returns the references that the chain does not show exactly once in the wallet's successful transactions. */
async function findWrongReferences(wallet: BenchWallet, references: string[]): Promise<string[]> {
  const memos: string[] = [];
  for (let before: string | undefined; ; ) {
    const page = await sandboxRpc<{ signature: string; memo: string | null; err: unknown }[]>(
      app.rpc,
      "getSignaturesForAddress",
      [wallet.address, { limit: 1_000, commitment: "confirmed", ...(before && { before }) }],
    );
    memos.push(...page.flatMap(({ err, memo }) => (err === null && memo ? [memo] : [])));
    if (page.length < 1_000) break;
    before = page.at(-1)!.signature;
  }
  return references.filter((reference) => {
    const { value } = createReferenceMark(wallet.address, reference);
    return memos.filter((memo) => memo.includes(value)).length !== 1;
  });
}

function report(answers: autocannon.Result, samples: Sample[], savings: number, wrong: string[]): void {
  const sixth = Math.floor(samples.length / 6);
  const measureDrift = (read: (sample: Sample) => number) => {
    // The first sixth warms up: 5 of 30 minutes.
    const [from, to] = [samples.slice(sixth, 2 * sixth), samples.slice(-sixth)].map((part) =>
      computeMedian(part.map(read)),
    );
    return { from: from!, to: to!, ratio: to! / from! };
  };
  const [memory, files] = [measureDrift(({ megabytes }) => megabytes), measureDrift((sample) => sample.files)];
  const faults = answers["5xx"] + answers.errors;
  console.log(`${answers["2xx"]} answers, ${faults} of them 5xx or lost, ${answers["4xx"]} of them 4xx`);
  console.log(`${upstreamFailures} answers to savings say that the sandbox was too slow`);
  console.log(`memory ${memory.from.toFixed(0)} → ${memory.to.toFixed(0)} MB (${memory.ratio.toFixed(3)})`);
  console.log(`open files ${files.from} → ${files.to} (${files.ratio.toFixed(3)})`);
  console.log(`${savings} savings posted twice at once; ${wrong.length} are not on the chain exactly once`);
  const isFlat = [memory, files].every(({ ratio }) => Math.abs(ratio - 1) <= MAX_DRIFT);
  if (!isFlat || faults > 0 || wrong.length > 0 || savings === 0) process.exitCode = 1;
}
