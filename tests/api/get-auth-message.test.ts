import { expect, test } from "vitest";
import { createWallet, get, readData } from "../support/client/client";

test("200: returns one line of printable ASCII to sign", async () => {
  const { message, instructions } = await readData(get("/api/auth"));
  expect(message).toMatch(/^[\x20-\x7e]{20,}$/);
  expect(instructions).toMatch(/sign/i);
});

test("200: returns the same cacheable text to every caller", async () => {
  const publicAnswer = await get("/api/auth");
  expect(publicAnswer.headers.get("cache-control")).toBe("public, max-age=300");
  const wallet = await createWallet();
  const signedInAnswer = await get("/api/auth", { headers: wallet.headers });
  expect(signedInAnswer.body).toEqual(publicAnswer.body);
});
