import { expect, test } from "vitest";
import { getAuthMessageContract } from "../../lib/contracts/get-auth-message";
import { createWallet, get } from "../support/client/client";

test("200: returns the same cacheable text to every caller", async () => {
  const publicAnswer = await get("/api/auth");
  expect(publicAnswer.body?.data).toEqual(getAuthMessageContract.exampleAnswer);
  expect(publicAnswer.headers.get("cache-control")).toBe("public, max-age=300");
  const wallet = await createWallet();
  const signedInAnswer = await get("/api/auth", { headers: wallet.headers });
  expect(signedInAnswer.body).toEqual(publicAnswer.body);
});
