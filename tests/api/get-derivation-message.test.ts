import { expect, test } from "vitest";
import vectors from "../../app/docs/_content/service-wallet-vectors.json";
import { get, readData } from "../support/client/client";

test("200: returns the published text and parameters of the derivation", async () => {
  const { message, kdf } = await readData(get("/api/wallet/derive"));
  expect(message).toBe(vectors.message);
  expect(kdf).toMatchObject({ name: "HKDF-SHA256", salt: vectors.salt, info: vectors.info, length: 32 });
});
