import { createSignInMessageText } from "@solana/wallet-standard-util";
import { expect, test } from "vitest";
import { createSignInFields } from "../../lib/domain/sign-in-fields";
import { SANDBOX_DEPLOYMENT } from "../../lib/domain/signed-texts";
import { encodeUtf8, toBase64 } from "../../lib/solana/bytes";
import { createWallet, get, post, readData, signText } from "../support/client/client";

const createSignInHeaders = async (wallet: Awaited<ReturnType<typeof createWallet>>) => {
  const { nonce } = await readData(get("/api/auth/nonce"));
  const fields = createSignInFields(SANDBOX_DEPLOYMENT, "http://localhost:3000", nonce);
  const text = createSignInMessageText({ ...fields, address: wallet.address });
  return {
    "x-wallet": wallet.address,
    "x-siws-message": toBase64(encodeUtf8(text)),
    "x-signature": signText(wallet.keys, text),
  };
};

test("200: returns a nonce of 44 hexadecimal digits", async () => {
  const { nonce, expiresAt } = await readData(get("/api/auth/nonce"));
  expect(nonce).toMatch(/^[0-9a-f]{44}$/);
  expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now());
});

test("200: a signed message with the nonce authenticates protected calls", async () => {
  const headers = await createSignInHeaders(await createWallet());
  expect((await post("/api/roundup", { txValueUsd: 1 }, { headers })).status).toBe(200);
  const { apiKey } = await readData(post("/api/keys/generate", {}, { headers }));
  expect((await post("/api/roundup", { txValueUsd: 1 }, { headers: { "x-api-key": apiKey } })).status).toBe(200);
});
