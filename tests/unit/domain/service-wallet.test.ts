import { createHash, hkdfSync } from "node:crypto";
import { readFileSync } from "node:fs";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { describe, expect, test } from "vitest";
import {
  deriveServiceWalletPublicKey,
  deriveServiceWalletSeed,
  SERVICE_WALLET_KDF,
} from "../../../lib/domain/service-wallet";
import {
  createAuthText,
  createLinkText,
  createServiceWalletText,
  fillLink,
  SANDBOX_DEPLOYMENT,
} from "../../../lib/domain/signed-texts";
import { encodeOffchainMessage } from "../../support/fixtures/offchain-messages";
import { publishedVectors } from "../../support/fixtures/service-wallet-vectors";
import { SERVICE_WALLET_TEXT } from "../../support/fixtures/wallet-texts";

const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const decodeSignature = ({ signatureBase64 }: { signatureBase64: string }) =>
  new Uint8Array(Buffer.from(signatureBase64, "base64"));

describe("the published vectors", () => {
  test("use the published text, salt and info, and the guide states that their keys are public", () => {
    expect(publishedVectors.message).toBe(SERVICE_WALLET_TEXT);
    expect(publishedVectors.salt).toBe(SERVICE_WALLET_KDF.salt);
    expect(publishedVectors.info).toBe(SERVICE_WALLET_KDF.info);
    expect(publishedVectors.offchainInfo).toBe(SERVICE_WALLET_KDF.offchainInfo);
    expect(readFileSync("docs/guides/service-wallet.md", "utf8")).toMatch(/^Public test keys/m);
    const plainVectors = publishedVectors.vectors.filter(({ form }) => form === "plain");
    expect(plainVectors.map(({ index }) => index)).toEqual([0, 1, 255]);
    expect(new Set(publishedVectors.vectors.map(({ form }) => form)).size).toBe(3);
  });

  test.each(publishedVectors.vectors)(
    "match the keys that plain HKDF and Ed25519 give ($form, owner $owner)",
    (vector) => {
      const owner = nacl.sign.keyPair.fromSeed(Buffer.from(vector.ownerSeedHex, "hex"));
      expect(bs58.encode(owner.publicKey)).toBe(vector.owner);
      const { message } = publishedVectors;
      const signedMessage = {
        plain: new Uint8Array(Buffer.from(message, "utf8")),
        "offchain-0": encodeOffchainMessage(0, message, [vector.owner]),
        "offchain-1": encodeOffchainMessage(1, message, [vector.owner]),
      }[vector.form];
      const signature = nacl.sign.detached(signedMessage, owner.secretKey);
      expect(signature).toEqual(decodeSignature(vector));
      const suffix = { plain: "", "offchain-0": ":offchain-0", "offchain-1": ":offchain-1" }[vector.form];
      const info = `solana:${vector.owner}:${vector.index}${suffix}`;
      const seed = new Uint8Array(
        hkdfSync("sha256", signature, publishedVectors.salt, info, SERVICE_WALLET_KDF.length),
      );
      expect(toHex(seed)).toBe(vector.serviceSeedHex);
      expect(bs58.encode(nacl.sign.keyPair.fromSeed(seed).publicKey)).toBe(vector.servicePublicKey);
    },
  );

  test.each(publishedVectors.vectors)("match the keys that the service derives ($form, owner $owner)", (vector) => {
    const { owner, form, index, serviceSeedHex, servicePublicKey } = vector;
    expect(toHex(deriveServiceWalletSeed(decodeSignature(vector), owner, index, form))).toBe(serviceSeedHex);
    expect(deriveServiceWalletPublicKey(decodeSignature(vector), owner, index, form)).toBe(servicePublicKey);
  });
});

describe("derivation", () => {
  const [vector] = publishedVectors.vectors as [(typeof publishedVectors.vectors)[number]];
  const signature = decodeSignature(vector);

  test("gives a different wallet for a different owner or signature", () => {
    const [, otherVector] = publishedVectors.vectors;
    const changedSignature = signature.slice();
    changedSignature[63]! ^= 1;
    expect(deriveServiceWalletPublicKey(signature, otherVector!.owner, 0)).not.toBe(vector.servicePublicKey);
    expect(deriveServiceWalletPublicKey(changedSignature, vector.owner, 0)).not.toBe(vector.servicePublicKey);
  });

  test("leaves the signature unchanged, so that the caller can zero it", () => {
    const signatureCopy = signature.slice();
    deriveServiceWalletPublicKey(signatureCopy, vector.owner, 0);
    expect(signatureCopy).toEqual(signature);
  });

  test.each([0, 63, 65])("throws RangeError for a signature of %i bytes", (length) => {
    expect(() => deriveServiceWalletSeed(new Uint8Array(length), vector.owner, 0)).toThrow(RangeError);
  });

  test.each([-1, 256, 1.5, Number.NaN])("throws RangeError for index %d", (index) => {
    expect(() => deriveServiceWalletSeed(signature, vector.owner, index)).toThrow(RangeError);
  });
});

describe("the fixed texts", () => {
  const ORIGIN = "https://roundup.example";
  const createTexts = (deployment: string) => [
    createAuthText(deployment),
    createServiceWalletText(deployment),
    createLinkText(deployment),
  ];

  test("have their published digests, because one changed byte would lose every user's service wallets", () => {
    const hashTexts = (deployment: string) =>
      createTexts(deployment).map((text) => createHash("sha256").update(text).digest("hex"));
    expect(hashTexts(SANDBOX_DEPLOYMENT)).toEqual([
      "8ec045adc7d1d2eb695dcab754d149e14acf7fc38ce87046728bdfb4b445c62d",
      "43c5a1402019f1201de4a9cbb3d0d9dd898c24f49a101173b8effeea913a7ef1",
      "42c7481e2bdedd8face2522396df8ce4c507870326000e9e6881ff265556fcb6",
    ]);
    expect(hashTexts(ORIGIN)).toEqual([
      "aab5f017594b17ba20736e535083524fac563e5f370e102527dfd27f2ec7ce1c",
      "124c3f3a1962f829fa59ceb23890b713d6e5afb7f646dc214c8512d9acecec6c",
      "059fd585f80c8f8f246926937bb8a3ae007a9109672aeb620a18a126a03b8980",
    ]);
  });

  test("name the owner and the service wallet in the text that a service wallet signs", () => {
    const linkText = fillLink(createLinkText(ORIGIN), "the-owner", "the-key");
    expect(linkText).toContain("the-key is the Roundup service wallet of the-owner.");
    expect(linkText).not.toMatch(/[{}]/);
  });
});
