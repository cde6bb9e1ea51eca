import { expect, test } from "vitest";
import { createWallet, get, post, readData } from "../support/client/client";

test("200: lists every live key of the signing wallet, oldest first, without its secret", async () => {
  const { address, headers } = await createWallet();
  const generateKey = (body: object) => readData(post("/api/keys/generate", body, { headers }));
  const generatedKeys = [await generateKey({ name: "first", expiresInDays: 1 }), await generateKey({})];
  const answer = await get("/api/keys", { headers });
  expect(answer.body?.data?.keys).toEqual(
    generatedKeys.map(({ id, name, createdAt, expiresAt }) => {
      return { id, wallet: address, name, createdAt, expiresAt, lastUsedAt: null };
    }),
  );
  for (const { apiKey } of generatedKeys) expect(answer.text).not.toContain(apiKey.slice(24));
  expect(answer.text).not.toMatch(/digest|[0-9a-f]{64}/);
});
