import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { App } from "../support/app/app";
import { startAppForFile } from "../support/app/app-for-file";
import { bundlePrograms } from "../support/app/bundle";
import { type SandboxProgram, startSandboxProgram } from "../support/app/sandbox-program";
import {
  createWallet,
  deriveServiceWallet,
  fund,
  get,
  post,
  readData,
  setTargetApp,
  signTransaction,
} from "../support/client/client";
import { type Stage, type StagedServer, startStagedServer } from "../support/fakes/staged-server";
import { startRedis } from "../support/store/redis-server";
import { createFolderForFile } from "../support/store/temp-folder";

/* Three server processes on one Redis. Each reaches the sandbox through its own proxy, which records every call. */

/** Time for which the service serves prices before it reads them again, ms. */
const PRICE_TTL_MS = 30_000;
/** Interval at which the service sends a transaction again until it has landed, ms. */
const RESEND_MS = 1_500;

const folder = createFolderForFile();
const redis = await startRedis();
if (!redis)
  console.warn("skipped: three processes on one Redis need redis-server (Debian: apt-get install redis-server)");

describe.skipIf(!redis)("three processes on one Redis", { sequential: true }, () => {
  let sandbox: SandboxProgram;
  let upstreams: StagedServer[] = [];
  let apps: App[] = [];
  /** Time at which the processes started, on the test's clock, ms. */
  let startedAt: number;
  /** Resolves before a transaction is forwarded to the sandbox. */
  let beforeSend: () => Promise<void> = async () => {};

  const forwardTo =
    (target: string): Stage =>
    async ({ method, path, query, body }, response) => {
      if (body.includes('"sendTransaction"')) await beforeSend();
      const headers = { "content-type": "application/json" };
      const answer = await fetch(`${target}${path}?${query}`, { method, headers, ...(body && { body }) });
      response.writeHead(answer.status, headers).end(await answer.text());
    };
  const startApp = ({ url }: StagedServer, i: number) => {
    const env = { ...sandbox.settings, SANDBOX_URL: url, REDIS_URL: `redis://127.0.0.1:${redis!.port}` };
    // A store that answers late on a slow machine must not count as down.
    return startAppForFile(`instances-${i}`, join(folder, `${i}`), { ...env, KV_TIMEOUT_MS: "60000" });
  };
  /** Makes one call to each process at the same time. */
  const callEach = <T>(sendCall: () => Promise<T>) =>
    Promise.all(
      apps.map(({ url }) => {
        setTargetApp(url);
        return sendCall();
      }),
    );
  const countCalls = (upstream: StagedServer, text: string) =>
    upstream.requests.filter(({ path, body }) => path.includes(text) || body.includes(`"${text}"`)).length;
  const countAllCalls = (text: string) => upstreams.reduce((sum, upstream) => sum + countCalls(upstream, text), 0);

  beforeAll(async () => {
    const programs = await bundlePrograms("instances", { sandbox: "lib/sandbox/main.ts" });
    sandbox = await startSandboxProgram([programs.sandbox], join(folder, "chain"));
    upstreams = await Promise.all([1, 2, 3].map(() => startStagedServer(forwardTo(sandbox.url))));
    startedAt = performance.now();
    const [firstUpstream, ...otherUpstreams] = upstreams;
    const firstApp = await startApp(firstUpstream!, 0);
    // The others would read for themselves after 5 s, so they start once the first reading is in the store.
    setTargetApp(firstApp.url);
    await readData(get("/api/price"));
    apps = [firstApp, ...(await Promise.all(otherUpstreams.map((upstream, i) => startApp(upstream, i + 1))))];
  });
  afterAll(async () => {
    await Promise.all(apps.map((app) => app.stop()));
    await Promise.all(upstreams.map((upstream) => upstream.close()));
    await sandbox?.stop();
    await redis!.stop();
  });

  test("use the prices that one of them has read in the last 30 s", async () => {
    for (let round = 0; round < 5; round++) await callEach(() => readData(get("/api/price")));
    const periodCount = Math.floor((performance.now() - startedAt) / PRICE_TTL_MS);
    expect(countAllCalls("/price/v3")).toBeLessThanOrEqual(1 + periodCount);
  });

  test("send a transaction once when a client posts it to all of them at the same time", async () => {
    setTargetApp(apps[0]!.url);
    const user = await createWallet();
    const serviceWallet = await deriveServiceWallet(user);
    await fund(user.address, 1);
    const body = { txValueUsd: 27.63, userPubkey: user.address, serviceWalletPubkey: serviceWallet.address };
    const { transaction } = await readData(post("/api/wrap", body, { headers: user.headers }));
    const signedTransaction = signTransaction(transaction!.base64, user.keys);
    // Hold the send until every process has simulated the transaction, so that no process finds it landed.
    beforeSend = () =>
      vi.waitFor(
        () => expect(upstreams.every((upstream) => countCalls(upstream, "simulateTransaction") > 0)).toBe(true),
        { timeout: 30_000 },
      );
    const postedAt = performance.now();
    const answers = await callEach(() =>
      readData(post("/api/swap/execute", { signedTransaction }, { headers: user.headers })),
    );
    const resendCount = Math.floor((performance.now() - postedAt) / RESEND_MS);
    const [{ txSignature }] = answers as [(typeof answers)[number]];
    for (const answer of answers) expect(answer).toMatchObject({ txSignature, confirmed: true });
    expect(upstreams.filter((upstream) => countCalls(upstream, "sendTransaction") > 0)).toHaveLength(1);
    expect(countAllCalls("sendTransaction")).toBeLessThanOrEqual(1 + resendCount);
  });
});
