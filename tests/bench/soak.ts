import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import autocannon from "autocannon";
import { createReferenceMark } from "../../lib/domain/reference";
import { createTempFolder, removeFolder, sandboxRpc } from "../support/app/app";
import { startRedis } from "../support/store/redis-server";
import { buildRequest, CONNECTIONS, createServiceLoads, type Load } from "./loads";
import { startApp } from "./measured-server";
import { computeMedian } from "./median";
import { type BenchUser, callApi, createUsers, signTransaction } from "./users";

/*
 * Loads the built app with half of the requests that it can answer, and saves payments during the whole run. Usage:
 * `npm run soak [-- --store redis --minutes 30]`. The program exits with 1 unless memory and open files stay within 5 %,
 * no answer is a 5xx, and the chain holds each saving once.
 */

const CALIBRATION_SECONDS = 10;
const SAMPLE_MS = 5_000;
/** Maximum relative change of memory and open files after the warm-up. */
const MAX_DRIFT = 0.05;
const USER_COUNT = 5;
/** Pause of a user between two savings, ms. */
const PAUSE_MS = 2_000;

/** Number of answers to savings that report a failed upstream. */
let upstreamFailureCount = 0;

const { values } = parseArgs({
  options: { store: { type: "string", default: "lmdb" }, minutes: { type: "string", default: "30" } },
});
const minutes = Number(values.minutes);
const folder = createTempFolder();
const redis = values.store === "redis" ? await startRedis() : null;
if (values.store === "redis" && !redis) throw new Error("This machine has no redis-server.");
const app = await startApp(folder, redis ? { REDIS_URL: `redis://127.0.0.1:${redis.port}` } : {});
try {
  const users = await createUsers(app.url, USER_COUNT);
  const loads = createServiceLoads(users);
  const calibration = await sendLoad(loads, CALIBRATION_SECONDS);
  const rate = Math.floor(calibration["2xx"] / calibration.duration / 2);
  console.log(`${values.store}: ${minutes} minutes at ${rate} requests a second, half of what it answers`);
  const endsAt = Date.now() + minutes * 60_000;
  const [loadResult, samples, ...savedReferences] = await Promise.all([
    sendLoad(loads, minutes * 60, rate),
    sampleProcess(app.pid, endsAt),
    ...users.map((user) => saveRepeatedly(user, endsAt)),
  ]);
  const wrongReferences = await Promise.all(users.map((user, i) => findWrongReferences(user, savedReferences[i]!)));
  printReport(loadResult, samples, savedReferences.flat().length, wrongReferences.flat());
} finally {
  await app.stop();
  await redis?.stop();
  removeFolder(folder);
}

/** Sends reads, round-ups and builds in turn. @param rate requests a second; absent for as many as the app answers */
function sendLoad(loads: Load[], seconds: number, rate?: number): Promise<autocannon.Result> {
  let requestCount = 0;
  const setupRequest = (base: autocannon.Request) => ({
    ...base,
    ...buildRequest(loads[requestCount % loads.length]!, Math.floor(requestCount++ / loads.length)),
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
  openFiles: number;
}

/** Samples memory and open files until a time, ms since the epoch. */
async function sampleProcess(pid: number, endsAt: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  while (Date.now() < endsAt) {
    samples.push({ megabytes: readPrivateMb(pid), openFiles: readdirSync(`/proc/${pid}/fd`).length });
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
async function saveRepeatedly(user: BenchUser, endsAt: number): Promise<string[]> {
  const references: string[] = [];
  while (Date.now() < endsAt) {
    const reference = `order ${references.length}`;
    const body = { txValueUsd: 20.83, userPubkey: user.address, serviceWalletPubkey: user.serviceWallet, reference };
    const buildWrap = () => callApi<{ transaction: { base64: string } }>(app.url, "/api/wrap", body, user.headers);
    const wrap = await retryUpstream(buildWrap);
    const executeBody = { signedTransaction: signTransaction(wrap.transaction.base64, user.secretKey) };
    const postWrap = () =>
      retryUpstream(() => callApi<{ confirmed: boolean }>(app.url, "/api/swap/execute", executeBody, user.headers));
    while (!(await Promise.all([postWrap(), postWrap()])).some(({ confirmed }) => confirmed));
    references.push(reference);
    await setTimeout(PAUSE_MS);
  }
  return references;
}

/** Repeats a call while the sandbox is too slow for the service, and counts these failures. */
async function retryUpstream<Answer>(sendCall: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await sendCall();
    } catch (error) {
      if (!/"code":"upstream_/.test(String(error))) throw error;
      upstreamFailureCount++;
      await setTimeout(PAUSE_MS);
    }
  }
}

/** Returns the references that the chain does not show exactly once in the wallet's successful transactions. */
async function findWrongReferences(user: BenchUser, references: string[]): Promise<string[]> {
  const memos: string[] = [];
  for (let before: string | undefined; ; ) {
    const page = await sandboxRpc<{ signature: string; memo: string | null; err: unknown }[]>(
      app.rpcUrl,
      "getSignaturesForAddress",
      [user.address, { limit: 1_000, commitment: "confirmed", ...(before && { before }) }],
    );
    memos.push(...page.flatMap(({ err, memo }) => (err === null && memo ? [memo] : [])));
    if (page.length < 1_000) break;
    before = page.at(-1)!.signature;
  }
  return references.filter((reference) => {
    const { value } = createReferenceMark(user.address, reference);
    return memos.filter((memo) => memo.includes(value)).length !== 1;
  });
}

/** Prints the results. Sets the exit code when a promise is broken. */
function printReport(
  loadResult: autocannon.Result,
  samples: Sample[],
  savingCount: number,
  wrongReferences: string[],
): void {
  const sixthLength = Math.floor(samples.length / 6);
  const measureDrift = (readValue: (sample: Sample) => number) => {
    // The first sixth warms up: 5 of 30 minutes.
    const [start, end] = [samples.slice(sixthLength, 2 * sixthLength), samples.slice(-sixthLength)].map((part) =>
      computeMedian(part.map(readValue)),
    );
    return { start: start!, end: end!, ratio: end! / start! };
  };
  const [memory, files] = [measureDrift(({ megabytes }) => megabytes), measureDrift(({ openFiles }) => openFiles)];
  const faultCount = loadResult["5xx"] + loadResult.errors;
  console.log(`${loadResult["2xx"]} answers, ${faultCount} of them 5xx or lost, ${loadResult["4xx"]} of them 4xx`);
  console.log(`${upstreamFailureCount} answers to savings say that the sandbox was too slow`);
  console.log(`memory ${memory.start.toFixed(0)} → ${memory.end.toFixed(0)} MB (${memory.ratio.toFixed(3)})`);
  console.log(`open files ${files.start} → ${files.end} (${files.ratio.toFixed(3)})`);
  console.log(
    `${savingCount} savings posted twice at once; ${wrongReferences.length} are not on the chain exactly once`,
  );
  const isFlat = [memory, files].every(({ ratio }) => Math.abs(ratio - 1) <= MAX_DRIFT);
  if (!isFlat || faultCount > 0 || wrongReferences.length > 0 || savingCount === 0) process.exitCode = 1;
}
