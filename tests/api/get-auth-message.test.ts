import { expect, test } from "vitest";
import { expectHouseRules } from "../support/client/answers";
import { call, data, get, newWallet, post, signText } from "../support/client/client";

test("200: returns one line of printable ASCII, with instructions", async () => {
  const { message, instructions, headers, ...rest } = await data(get("/api/auth"));
  expect(rest).toEqual({});
  expect(message).toMatch(/^[\x20-\x7e]{20,}$/);
  expect(instructions).toMatch(/sign/i);
  expect(headers).toEqual({ "x-wallet": expect.any(String), "x-signature": expect.any(String) });
});

test("200: returns the same text to every caller at any time, so it may be cached", async () => {
  const first = await get("/api/auth");
  expectHouseRules(first);
  expect(first.headers.get("cache-control")).toBe("public, max-age=300");
  const wallet = await newWallet();
  const again = await get("/api/auth", { headers: wallet.headers });
  expect(again.body).toEqual(first.body);
});

test("200: a base64 signature over its UTF-8 bytes opens a protected endpoint", async () => {
  const { message } = await data(get("/api/auth"));
  const wallet = await newWallet();
  const headers = { "x-wallet": wallet.address, "x-signature": signText(wallet.keys, message) };
  expect((await post("/api/roundup", { txValueUsd: 1 }, { headers })).status).toBe(200);
});

test("200: differs from the text that derives the service wallet", async () => {
  const { message } = await data(get("/api/auth"));
  expect((await data(get("/api/wallet/derive"))).message).not.toBe(message);
});

test("HEAD: returns the same headers and no body", async () => {
  const answer = await call("HEAD", "/api/auth");
  expect(answer.status).toBe(200);
  expect(answer.text).toBe("");
  expectHouseRules(answer);
});
