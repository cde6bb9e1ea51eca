import { beforeEach, expect, test } from "vitest";
import { createWallet, data, get, post, type Wallet } from "../support/client/client";

let wallet: Wallet;
beforeEach(async () => {
  wallet = await createWallet();
});

const generate = (body: unknown = {}) => data(post("/api/keys/generate", body, { headers: wallet.headers }));

test("200: returns an empty list for a wallet without keys", async () => {
  expect(await data(get("/api/keys", { headers: wallet.headers }))).toEqual({ keys: [] });
});

test("200: lists every live key of the signing wallet, oldest first, without its secret", async () => {
  const firstKey = await generate({ name: "first", expiresInDays: 1 });
  const secondKey = await generate();
  const answer = await get("/api/keys", { headers: wallet.headers });
  expect(answer.body?.data?.keys).toEqual(
    [firstKey, secondKey].map(({ id, name, createdAt, expiresAt }) => {
      return { id, wallet: wallet.address, name, createdAt, expiresAt, lastUsedAt: null };
    }),
  );
  for (const { apiKey } of [firstKey, secondKey]) expect(answer.text).not.toContain(apiKey.slice(24));
  expect(answer.text).not.toMatch(/digest|[0-9a-f]{64}/);
});
