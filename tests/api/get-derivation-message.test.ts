import { expect, test } from "vitest";
import vectors from "../../app/docs/_content/service-wallet-vectors.json";
import { data, get } from "../support/client/client";

test("200: returns the published text and parameters of the derivation", async () => {
  const { message, link: _, kdf, ...rest } = await data(get("/api/wallet/derive"));
  expect(rest).toEqual({});
  expect(message).toBe(vectors.message);
  expect(kdf).toEqual({
    name: "HKDF-SHA256",
    ikm: expect.stringContaining("64 bytes"),
    salt: vectors.salt,
    info: "solana:<owner base58>:<index>",
    length: 32,
    output: expect.stringContaining("Ed25519 seed"),
  });
});
