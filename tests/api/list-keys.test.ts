import { beforeEach, expect, test } from "vitest";
import { expectHouseRules } from "../support/client/answers";
import { call, data, get, newWallet, post, type Wallet } from "../support/client/client";

let wallet: Wallet;
beforeEach(async () => {
  wallet = await newWallet();
});

const generate = (body: unknown = {}) => data(post("/api/keys/generate", body, { headers: wallet.headers }));
const list = async () => (await data(get("/api/keys", { headers: wallet.headers }))).keys;

test("200: returns an empty list for a wallet without keys", async () => {
  const answer = await get("/api/keys", { headers: wallet.headers });
  expectHouseRules(answer);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.body).toEqual({ ok: true, data: { keys: [] } });
});

test("200: lists every live key of the signing wallet, oldest first, without its secret", async () => {
  const first = await generate({ name: "first", expiresInDays: 1 });
  const second = await generate();
  const answer = await get("/api/keys", { headers: wallet.headers });
  expect(answer.body?.data?.keys).toEqual(
    [first, second].map(({ id, name, createdAt, expiresAt }) => {
      return { id, wallet: wallet.address, name, createdAt, expiresAt, lastUsedAt: null };
    }),
  );
  for (const { apiKey } of [first, second]) expect(answer.text).not.toContain(apiKey.slice(24));
  expect(answer.text).not.toMatch(/digest|[0-9a-f]{64}/);
});

test("200: never lists a different wallet's keys", async () => {
  await generate();
  const other = await newWallet();
  expect((await data(get("/api/keys", { headers: other.headers }))).keys).toEqual([]);
});

test("200: adds lastUsedAt after a key's first use, for that key alone, and keeps it for the hour", async () => {
  const used = await generate({ name: "used" });
  await generate({ name: "unused" });
  const before = Date.now();
  const use = () => post("/api/roundup", { txValueUsd: 1 }, { headers: { "x-api-key": used.apiKey } });
  expect((await use()).status).toBe(200);
  // The service writes it after it has answered.
  await expect.poll(async () => (await list())[0]!.lastUsedAt, { timeout: 30_000 }).not.toBeNull();
  const [first, second] = await list();
  expect(second!.lastUsedAt).toBeNull();
  expect(Date.parse(first!.lastUsedAt!)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(first!.lastUsedAt!)).toBeLessThanOrEqual(Date.now());
  expect((await use()).status).toBe(200);
  expect((await list())[0]!.lastUsedAt).toBe(first!.lastUsedAt);
});

test("200: omits a revoked key", async () => {
  const key = await generate();
  await data(call("DELETE", `/api/keys/${key.id}`, { headers: wallet.headers }));
  expect(await list()).toEqual([]);
});
