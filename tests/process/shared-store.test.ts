import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BREAKER_REST_MS } from "../../lib/clients/http/breaker";
import type { ErrorCode } from "../../lib/errors";
import type { App } from "../support/app/app";
import { NO_CHAIN_SETTINGS, startAppForFile } from "../support/app/app-for-file";
import {
  type Answer,
  callApi,
  createCallerAddress,
  createWallet,
  get,
  post,
  readData,
  setTargetApp,
  type Wallet,
} from "../support/client/client";
import { expectFailure } from "../support/client/expect-failure";
import { startRedis } from "../support/store/redis-server";
import { createFolderForFile } from "../support/store/temp-folder";
import { startUpstashBridge } from "../support/store/upstash-bridge";

/* Runs two server processes with separate folders and one shared store, as on a host that runs several instances. */

const folder = createFolderForFile();

const BACKEND_NAMES = ["over HTTP", "on Redis"] as const;

interface Backend {
  env: Record<string, string>;
  /** The port that no answer may show. */
  port: number;
  /** Sets whether the store receives calls without answering them. */
  setHanging(isHanging: boolean): void;
  /** Number of calls so far, where the backend counts them. */
  countCalls(): number;
  stop(): Promise<void>;
}

async function startBackends(): Promise<Record<(typeof BACKEND_NAMES)[number], Backend> | null> {
  const [bridge, redis] = [await startUpstashBridge(), await startRedis()];
  if (!bridge || !redis) return null;
  const { url, token } = bridge;
  const httpBackend = { env: { KV_REST_API_URL: url, KV_REST_API_TOKEN: token }, port: Number(new URL(url).port) };
  const redisBackend = { env: { REDIS_URL: `redis://127.0.0.1:${redis.port}` }, port: redis.port };
  const setHanging = (isHanging: boolean) => (isHanging ? redis.freeze() : redis.thaw());
  return {
    "over HTTP": { ...httpBackend, setHanging: bridge.setHanging, countCalls: bridge.countRequests, stop: bridge.stop },
    "on Redis": { ...redisBackend, setHanging, countCalls: () => 0, stop: redis.stop },
  };
}

const backends = await startBackends();
if (!backends)
  console.warn("skipped: two processes on a shared store need redis-server (Debian: apt-get install redis-server)");

/** On a slow machine the store takes seconds, and after a timeout the processes would count calls locally. */
const LONG_TIMEOUT_SETTINGS = { KV_TIMEOUT_MS: "60000" };

describe.skipIf(!backends).each(BACKEND_NAMES)(
  "two processes with one shared store %s",
  { sequential: true },
  (kind) => {
    const backend = backends?.[kind] as Backend;
    let firstApp: App;
    let secondApp: App;
    let defaultTimeoutApp: App | undefined;
    let wallet: Wallet;
    let key: { id: string; apiKey: string };

    const startApp = async (name: string, timeoutSettings: Record<string, string> = LONG_TIMEOUT_SETTINGS) => {
      const fileName = `shared-store-${name}-${kind}`.replaceAll(" ", "-");
      return startAppForFile(fileName, join(folder, fileName), {
        ...NO_CHAIN_SETTINGS,
        ...backend.env,
        ...timeoutSettings,
      });
    };
    const callRoundUp = (headers: Record<string, string>, address?: string) =>
      post("/api/roundup", { txValueUsd: 3.4 }, { headers, address });
    const createKeyHeaders = () => ({ "x-api-key": key.apiKey });

    /** Creates a wallet and its key at the first process. */
    const makeKey = async () => {
      setTargetApp(firstApp.url);
      wallet = await createWallet();
      key = await readData(post("/api/keys/generate", {}, { headers: wallet.headers }));
    };

    beforeAll(async () => {
      firstApp = await startApp("first");
      secondApp = await startApp("second");
    });
    afterAll(async () => {
      await Promise.all([firstApp?.stop(), secondApp?.stop(), defaultTimeoutApp?.stop()]);
      await backend.stop();
    });

    test("a key that one process created works at the other", async () => {
      await makeKey();
      setTargetApp(secondApp.url);
      expect((await callRoundUp(createKeyHeaders())).status).toBe(200);
      setTargetApp(firstApp.url);
      const readLastUse = async () =>
        (await readData(get("/api/keys", { headers: wallet.headers }))).keys[0]!.lastUsedAt;
      await expect.poll(readLastUse, { timeout: 30_000 }).not.toBeNull();
    });

    /** Makes calls at once, to these processes in turn. Expects `limit` successes, and this code for the others. */
    const expectLimit = async (
      limit: number,
      code: ErrorCode,
      callCount: number,
      sendCall: () => Promise<Answer>,
      apps = [secondApp, firstApp],
    ) => {
      const answers = await Promise.all(
        Array.from({ length: callCount }, (_, i) => {
          setTargetApp(apps[i % apps.length]!.url);
          return sendCall();
        }),
      );
      const refusals = answers.filter(({ status }) => status !== 200);
      expect(answers.length - refusals.length).toBe(limit);
      for (const refusal of refusals) expectFailure(refusal, code);
    };

    test("both processes together issue at most ten keys to a wallet", async () => {
      const { headers } = await createWallet();
      await expectLimit(10, "too_many_keys", 24, () => post("/api/keys/generate", {}, { headers }));
    });

    test("a process refuses a key that the other process revoked", async () => {
      setTargetApp(secondApp.url);
      await readData(callApi("DELETE", `/api/keys/${key.id}`, { headers: wallet.headers }));
      setTargetApp(firstApp.url);
      expectFailure(await callRoundUp(createKeyHeaders()), "credentials_invalid");
    });

    test("both processes together answer an address at most 60 times a minute", async () => {
      const address = createCallerAddress();
      await expectLimit(60, "rate_limited", 80, () => get("/api/plans", { address }));
      for (const app of [firstApp, secondApp]) {
        setTargetApp(app.url);
        expectFailure(await get("/api/plans", { address }), "rate_limited");
        const { headers } = await get("/api/plans", { address: createCallerAddress() });
        expect(headers.get("x-ratelimit-remaining")).toBe("59");
      }
    });

    describe("when the store hangs", () => {
      beforeAll(async () => {
        defaultTimeoutApp = await startApp("default-timeout", {});
        await makeKey();
        setTargetApp(defaultTimeoutApp.url);
        backend.setHanging(true);
      });
      afterAll(() => backend.setHanging(false));

      test("a liveness probe does not call the store", async () => {
        const callsBefore = backend.countCalls();
        expect((await readData(get("/api/health?probe=live"))).live).toBe(true);
        expect(backend.countCalls()).toBe(callsBefore);
      });

      test("the circuit breaker keeps most calls from the store after one timeout", async () => {
        expectFailure(await callRoundUp(createKeyHeaders(), createCallerAddress()), "upstream_unavailable");
        const [callsBefore, startedAt] = [backend.countCalls(), performance.now()];
        for (let i = 0; i < 40; i++) {
          const address = createCallerAddress();
          const refusal = await callRoundUp(createKeyHeaders(), address);
          expectFailure(refusal, "upstream_unavailable");
          expect(refusal.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
          expect((await get("/api/plans", { address })).status).toBe(200);
          expect((await callRoundUp(wallet.headers, address)).status).toBe(200);
        }
        // Each of the 120 calls would make one or two store calls, but only one after each rest of the breaker does.
        const restCount = Math.floor((performance.now() - startedAt) / BREAKER_REST_MS);
        expect(backend.countCalls() - callsBefore).toBeLessThanOrEqual(1 + restCount);
      });

      test("keyed calls succeed again when the store answers again", async () => {
        backend.setHanging(false);
        const readStatus = async () => (await callRoundUp(createKeyHeaders(), createCallerAddress())).status;
        await expect.poll(readStatus, { timeout: 30_000 }).toBe(200);
      });
    });

    describe("when the store is gone", () => {
      beforeAll(async () => {
        await makeKey();
        await backend.stop();
      });

      test("503: every call that needs an API key reports an unavailable upstream", async () => {
        const { headers } = wallet;
        const answers = [
          await callRoundUp(createKeyHeaders()),
          await post("/api/keys/generate", {}, { headers }),
          await get("/api/keys", { headers }),
          await callApi("DELETE", `/api/keys/${key.id}`, { headers }),
        ];
        for (const answer of answers) {
          expectFailure(answer, "upstream_unavailable");
          expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
          expect(answer.text).not.toContain(String(backend.port));
        }
      });

      test("each process still enforces the rate limit locally", async () => {
        const address = createCallerAddress();
        for (const app of [firstApp, secondApp])
          await expectLimit(60, "rate_limited", 80, () => get("/api/plans", { address }), [app]);
      });
    });
  },
);
