import { beforeEach, expect, test } from "vitest";
import { DAY_MS } from "../../lib/domain/time";
import { createWallet, get, post, readData, type Wallet } from "../support/client/client";
import { expectFailure } from "../support/client/expect-failure";

const API_KEY_PATTERN = /^ru_test_[0-9a-f]{16}_[1-9A-HJ-NP-Za-km-z]{44}[0-9a-f]{8}$/;

let wallet: Wallet;
beforeEach(async () => {
  wallet = await createWallet();
});

const generateKey = (body: unknown = {}, headers: Record<string, string> = wallet.headers) =>
  post("/api/keys/generate", body, { headers });

test("200: creates a key that is shown once and is valid for 90 days", async () => {
  const { apiKey, id, createdAt, expiresAt, ...rest } = await readData(generateKey());
  expect(rest).toEqual({ wallet: wallet.address, name: null, usage: expect.stringContaining("x-api-key") });
  expect(apiKey).toMatch(API_KEY_PATTERN);
  expect(apiKey).toContain(`_${id}_`);
  expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(90 * DAY_MS);
  expect((await get("/api/keys", { headers: wallet.headers })).text).not.toContain(apiKey.slice(24));
});

test("200: accepts a signature in the body for the wallet in the headers", async () => {
  expect((await readData(generateKey({ signature: wallet.headers["x-signature"] }))).wallet).toBe(wallet.address);
});

test("200: accepts names of 1 to 60 characters and lifetimes of 1 to 365 days", async () => {
  const longestName = "ключ 🔑 ".padEnd(60, "x");
  for (const [name, storedName, expiresInDays] of [
    ["  a  ", "a", 1],
    [longestName, longestName, 365],
  ] as const) {
    const key = await readData(generateKey({ name, expiresInDays }));
    expect(key.name).toBe(storedName);
    expect(Date.parse(key.expiresAt) - Date.parse(key.createdAt)).toBe(expiresInDays * DAY_MS);
  }
});

test("401 credentials_invalid: refuses credentials that are wrong in either the body or the headers", async () => {
  const signature = "A".repeat(88);
  const wrongHeaders = { "x-wallet": wallet.address, "x-signature": signature };
  const rightBody = { wallet: wallet.address, signature: wallet.headers["x-signature"] };
  expectFailure(await generateKey(rightBody, wrongHeaders), "credentials_invalid");
  expectFailure(await generateKey({ wallet: wallet.address, signature }), "credentials_invalid");
  expect((await readData(get("/api/keys", { headers: wallet.headers }))).keys).toEqual([]);
});
