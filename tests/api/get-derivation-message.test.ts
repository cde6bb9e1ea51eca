import { expect, test } from "vitest";
import vectors from "../../app/docs/_content/service-wallet-vectors.json";
import { data, get } from "../support/client/client";

test("200: returns the text to sign and every parameter of the derivation, as published", async () => {
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

test("200: the text is one line of printable ASCII that warns to sign it only in a trusted app", async () => {
  const { message } = await data(get("/api/wallet/derive"));
  expect(message).toMatch(/^[\x20-\x7e]+$/);
  expect(message).toMatch(/only inside an app you trust/);
});

test("200: the text that a service wallet signs is one line of printable ASCII, with a placeholder for each address", async () => {
  const { link, message } = await data(get("/api/wallet/derive"));
  expect(link).toMatch(/^[\x20-\x7e]+$/);
  expect(link.match(/\{\w+\}/g)?.sort()).toEqual(["{owner}", "{publicKey}"]);
  expect([message, (await data(get("/api/auth"))).message]).not.toContain(link);
});
