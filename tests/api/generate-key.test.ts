import { beforeEach, expect, test } from "vitest";
import { DAY_MS } from "../../lib/domain/prices/price-history";
import { expectFailure } from "../support/client/answers";
import { createWallet, data, get, post, type Wallet } from "../support/client/client";

const API_KEY_SHAPE = /^ru_test_[0-9a-f]{16}_[1-9A-HJ-NP-Za-km-z]{44}[0-9a-f]{8}$/;

let wallet: Wallet;
beforeEach(async () => {
  wallet = await createWallet();
});

const generate = (body: unknown = {}, headers: Record<string, string> = wallet.headers) =>
  post("/api/keys/generate", body, { headers });
/** Converts the credentials of the headers to body fields. */
const toBodyFields = ({ headers }: Wallet) => ({ wallet: headers["x-wallet"], signature: headers["x-signature"] });
const listKeys = async ({ headers }: Wallet) => (await data(get("/api/keys", { headers }))).keys;

test("200: creates a key that is shown once and is valid for 90 days", async () => {
  const { apiKey, id, createdAt, expiresAt, ...rest } = await data(generate());
  expect(rest).toEqual({ wallet: wallet.address, name: null, usage: expect.stringContaining("x-api-key") });
  expect(apiKey).toMatch(API_KEY_SHAPE);
  expect(apiKey).toContain(`_${id}_`);
  expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(90 * DAY_MS);
  expect((await get("/api/keys", { headers: wallet.headers })).text).not.toContain(apiKey.slice(24));
});

test("200: accepts a signature in the body for the wallet in the headers", async () => {
  const { signature } = toBodyFields(wallet);
  expect((await data(generate({ signature }))).wallet).toBe(wallet.address);
});

test("200: accepts names of 1 to 60 characters and lifetimes of 1 to 365 days", async () => {
  const days = (created: { createdAt: string; expiresAt: string }) =>
    (Date.parse(created.expiresAt) - Date.parse(created.createdAt)) / DAY_MS;
  const shortest = await data(generate({ name: "  a  ", expiresInDays: 1 }));
  expect(shortest.name).toBe("a");
  expect(days(shortest)).toBe(1);
  const longest = await data(generate({ name: "ключ 🔑 ".padEnd(60, "x"), expiresInDays: 365 }));
  expect(longest.name).toBe("ключ 🔑 ".padEnd(60, "x"));
  expect(days(longest)).toBe(365);
});

test("401 credentials_invalid: refuses credentials that are wrong in either the body or the headers", async () => {
  const wrong = { "x-wallet": wallet.address, "x-signature": "A".repeat(88) };
  expectFailure(await generate(toBodyFields(wallet), wrong), "credentials_invalid");
  expectFailure(await generate({ wallet: wallet.address, signature: "A".repeat(88) }), "credentials_invalid");
  expect(await listKeys(wallet)).toEqual([]);
});
