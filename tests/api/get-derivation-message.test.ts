import { expect, test } from "vitest";
import { get, readData } from "../support/client/client";
import { publishedVectors } from "../support/fixtures/service-wallet-vectors";

test("200: returns the published text and parameters of the derivation", async () => {
  const { message, kdf } = await readData(get("/api/wallet/derive"));
  expect(message).toBe(publishedVectors.message);
  expect(kdf).toMatchObject({
    name: "HKDF-SHA256",
    salt: publishedVectors.salt,
    info: publishedVectors.info,
    offchainInfo: publishedVectors.offchainInfo,
    length: 32,
  });
});
