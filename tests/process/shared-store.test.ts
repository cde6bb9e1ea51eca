import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BREAKER_REST_MS } from "../../lib/clients/http/breaker";
import { type App, makeFolder, removeFolder } from "../support/app/app";
import { NO_CHAIN, startOwnApp } from "../support/app/own-app";
import { expectFailure } from "../support/client/answers";
import { aimAt, call, data, get, newAddress, newWallet, post, type Wallet } from "../support/client/client";
import { startUpstashBridge } from "../support/store/upstash-bridge";

/** Two server processes with folders of their own and one shared store, as on a host that runs several instances. */

const bridge = await startUpstashBridge();
if (!bridge)
  console.warn("skipped: two processes on a shared store need redis-server (Debian: apt-get install redis-server)");

/** On a busy machine an answer of the store takes seconds, and what is counted without it is another thing. */
const PATIENT = { KV_TIMEOUT_MS: "60000" };

describe.skipIf(!bridge).sequential("two processes, one shared store", () => {
  const folders: string[] = [];
  let first: App;
  let second: App;
  let hasty: App | undefined;
  let wallet: Wallet;
  let key: { id: string; apiKey: string };

  const startOne = async (name: string, patience: Record<string, string> = PATIENT) => {
    const folder = await makeFolder();
    folders.push(folder);
    const store = { KV_REST_API_URL: bridge!.url, KV_REST_API_TOKEN: bridge!.token };
    return startOwnApp(name, folder, { ...NO_CHAIN, ...store, ...patience });
  };
  const roundUp = (headers: Record<string, string>, address?: string) =>
    post("/api/roundup", { txValueUsd: 3.4 }, { headers, address });
  const keyed = () => ({ "x-api-key": key.apiKey });

  const makeKey = async () => {
    aimAt(first.url);
    wallet = await newWallet();
    key = await data(post("/api/keys/generate", {}, { headers: wallet.headers }));
  };

  beforeAll(async () => {
    first = await startOne("shared-store-first");
    second = await startOne("shared-store-second");
  });
  afterAll(async () => {
    await Promise.all([first?.stop(), second?.stop(), hasty?.stop()]);
    await bridge?.stop();
    await Promise.all(folders.map(removeFolder));
  });

  test("a key made by one works at the other, is listed there, and its use there is seen here", async () => {
    aimAt(first.url);
    wallet = await newWallet();
    key = await data(post("/api/keys/generate", { name: "shared" }, { headers: wallet.headers }));
    aimAt(second.url);
    expect((await roundUp(keyed())).status).toBe(200);
    aimAt(first.url);
    const lastUsedAt = async () => (await data(get("/api/keys", { headers: wallet.headers }))).keys[0]!.lastUsedAt;
    await expect.poll(lastUsedAt, { timeout: 30_000 }).not.toBeNull();
  });

  test("ten keys a wallet are ten over both, made at once", async () => {
    const { headers } = await newWallet();
    const made = await Promise.all(
      Array.from({ length: 24 }, (_, i) => {
        aimAt(i % 2 ? first.url : second.url);
        return post("/api/keys/generate", {}, { headers });
      }),
    );
    expect(made.filter(({ status }) => status === 200).length).toBe(10);
    for (const answer of made) if (answer.status !== 200) expectFailure(answer, "too_many_keys");
  });

  test("a key revoked at one is refused by the other at once", async () => {
    aimAt(second.url);
    await data(call("DELETE", `/api/keys/${key.id}`, { headers: wallet.headers }));
    aimAt(first.url);
    expectFailure(await roundUp(keyed()), "credentials_invalid");
  });

  test("60 calls a minute are 60 over both, at once", async () => {
    const address = newAddress();
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, i) => {
        aimAt(i % 2 ? first.url : second.url);
        return get("/api/plans", { address });
      }),
    );
    expect(answers.filter(({ status }) => status === 200).length).toBe(60);
    for (const app of [first, second]) {
      aimAt(app.url);
      expectFailure(await get("/api/plans", { address }), "rate_limited");
      expect((await get("/api/plans", { address: newAddress() })).headers.get("x-ratelimit-remaining")).toBe("59");
    }
  });

  describe("when the store hangs", () => {
    beforeAll(async () => {
      hasty = await startOne("shared-store-hasty", {});
      await makeKey();
      aimAt(hasty.url);
      bridge!.hang(true);
    });
    afterAll(() => bridge!.hang(false));

    test("a live probe does not ask it", async () => {
      const before = bridge!.asked();
      expect((await data(get("/api/health?probe=live"))).live).toBe(true);
      expect(bridge!.asked()).toBe(before);
    });

    test("once one call has waited for it hardly anybody asks it: keyed calls are 503 with Retry-After, the rest goes on", async () => {
      expectFailure(await roundUp(keyed(), newAddress()), "upstream_unavailable");
      const [before, since] = [bridge!.asked(), performance.now()];
      for (let i = 0; i < 40; i++) {
        const address = newAddress();
        const refused = await roundUp(keyed(), address);
        expectFailure(refused, "upstream_unavailable");
        expect(refused.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
        expect((await get("/api/plans", { address })).status).toBe(200);
        expect((await roundUp(wallet.headers, address)).status).toBe(200);
      }
      // Of 120 calls, each of which would ask it once or twice, one a rest.
      const rests = Math.floor((performance.now() - since) / BREAKER_REST_MS);
      expect(bridge!.asked() - before).toBeLessThanOrEqual(1 + rests);
    });

    test("when it answers again, so do keyed calls", async () => {
      bridge!.hang(false);
      await expect.poll(async () => (await roundUp(keyed(), newAddress())).status, { timeout: 30_000 }).toBe(200);
    });
  });

  describe("when the store is gone", () => {
    beforeAll(async () => {
      await makeKey();
      await bridge!.stop();
    });

    test("what needs no store goes on: public endpoints, and protected ones by wallet signature", async () => {
      expect((await get("/api/plans")).status).toBe(200);
      expect((await roundUp(wallet.headers)).status).toBe(200);
      expectFailure(await roundUp({ ...wallet.headers, "x-signature": "A".repeat(88) }), "credentials_invalid");
    });

    test("503 with Retry-After: an API key can be neither known nor refused, and none is made, listed or revoked", async () => {
      const { headers } = wallet;
      const answers = [
        await roundUp(keyed()),
        await post("/api/keys/generate", {}, { headers }),
        await get("/api/keys", { headers }),
        await call("DELETE", `/api/keys/${key.id}`, { headers }),
      ];
      for (const answer of answers) {
        expectFailure(answer, "upstream_unavailable");
        expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
        expect(answer.text).not.toContain(new URL(bridge!.url).port);
      }
    });

    test("503: health names the store among what is missing, and is live", async () => {
      const health = await get("/api/health");
      expectFailure(health, "upstream_unavailable");
      expect(health.body.error).toMatch(/store/);
      expect((await data(get("/api/health?probe=live"))).live).toBe(true);
    });

    test("the limit is still held, by each process for itself", async () => {
      const address = newAddress();
      for (const app of [first, second]) {
        aimAt(app.url);
        const answers = await Promise.all(Array.from({ length: 80 }, () => get("/api/plans", { address })));
        expect(answers.filter(({ status }) => status === 200).length).toBe(60);
        for (const answer of answers) if (answer.status !== 200) expectFailure(answer, "rate_limited");
      }
    });
  });
});
