import { createPublicKey, verify } from "node:crypto";
import { ed25519 } from "@noble/curves/ed25519";
import bs58 from "bs58";
import fc from "fast-check";
import nacl from "tweetnacl";
import { describe, expect, test } from "vitest";
import { createVerifier } from "../../../../lib/clients/process/verifier";
import { addGroupOrder, encodeLittleEndian, SMALL_ORDER_ENCODINGS } from "../../../support/fixtures/ed25519-points";
import { encodeOffchainMessage } from "../../../support/fixtures/offchain-messages";
import { published } from "../../../support/fixtures/quick-tweetnacl";
import { AUTH_TEXT, SERVICE_WALLET_TEXT } from "../../../support/fixtures/wallet-texts";

const encodeUtf8 = (text: string) => Buffer.from(text, "utf8");
const encodeBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const createKeyPair = (fill: number) => published.keyPair.fromSeed(new Uint8Array(32).fill(fill));
const encodeAddress = ({ publicKey }: nacl.SignKeyPair) => bs58.encode(publicKey);
const signText = ({ secretKey }: nacl.SignKeyPair, text: string) => nacl.sign.detached(encodeUtf8(text), secretKey);

/** Returns whether node:crypto alone accepts the signature. */
function isAcceptedByNode(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const derHeader = Buffer.from("302a300506032b6570032100", "hex");
  const key = createPublicKey({ key: Buffer.concat([derHeader, publicKey]), format: "der", type: "spki" });
  return verify(null, message, key, signature);
}

/**
 * Forges a signature that node:crypto accepts, over a fixed text for a key of small order, without a secret. R is S·B
 * for a small S, so S·B = R + k·A holds whenever the hash k is a multiple of A's order. At worst one try in eight
 * succeeds.
 */
function forgeSignature(publicKey: Uint8Array, text: string): Uint8Array {
  for (let scalar = 1n; scalar < 500n; scalar++) {
    const point = ed25519.ExtendedPoint.BASE.multiply(scalar).toRawBytes();
    const signature = Uint8Array.of(...point, ...encodeLittleEndian(scalar));
    if (isAcceptedByNode(publicKey, encodeUtf8(text), signature)) return signature;
  }
  throw new Error("no forgery found");
}

test.each(SMALL_ORDER_ENCODINGS.map((point) => [Buffer.from(point).toString("hex"), point] as const))(
  "forgeries for the small-order key %s are refused although node:crypto accepts them",
  (_caseName, publicKey) => {
    const verifier = createVerifier();
    for (const text of [AUTH_TEXT, SERVICE_WALLET_TEXT]) {
      const forgedSignature = forgeSignature(publicKey, text);
      expect(verifier.verify(publicKey, encodeUtf8(text), forgedSignature)).toBe(false);
      expect(verifier.verifyText(bs58.encode(publicKey), text, encodeBase64(forgedSignature))).toBe(false);
    }
  },
);

describe("verify", () => {
  const verifier = createVerifier();

  test("agrees with tweetnacl on signatures and on their one-bit changes", () => {
    const anySeed = fc.uint8Array({ minLength: 32, maxLength: 32 });
    const property = fc.property(anySeed, fc.uint8Array({ maxLength: 40 }), fc.nat(511), (seed, message, bit) => {
      const keys = published.keyPair.fromSeed(seed);
      const signature = published.detached(message, keys.secretKey);
      expect(verifier.verify(keys.publicKey, message, signature)).toBe(true);
      const flippedSignature = signature.slice();
      flippedSignature[bit >> 3]! ^= 1 << (bit & 7);
      expect(verifier.verify(keys.publicKey, message, flippedSignature)).toBe(false);
      expect(
        [published, nacl.sign].map(({ detached }) => detached.verify(message, flippedSignature, keys.publicKey)),
      ).toEqual([false, false]);
      // The faster functions of the tests return the same bytes.
      expect(nacl.sign.keyPair.fromSeed(seed)).toEqual(keys);
      expect(nacl.sign.detached(message, keys.secretKey)).toEqual(signature);
      expect(published.detached.verify(message, signature, keys.publicKey)).toBe(true);
      expect(verifier.verify(keys.publicKey, Uint8Array.of(...message, 0), signature)).toBe(false);
    });
    fc.assert(property, { numRuns: 10 });
  });

  test("returns false for keys and signatures of other lengths, and for keys off the curve", () => {
    const { publicKey } = createKeyPair(4);
    const signature = signText(createKeyPair(4), "text");
    const offCurveKey = new Uint8Array(32).fill(2);
    for (const invalidKey of [publicKey.subarray(1), Uint8Array.of(...publicKey, 0), offCurveKey])
      expect(verifier.verify(invalidKey, encodeUtf8("text"), signature)).toBe(false);
    for (const invalidSignature of [signature.subarray(1), Uint8Array.of(...signature, 0), new Uint8Array(0)])
      expect(verifier.verify(publicKey, encodeUtf8("text"), invalidSignature)).toBe(false);
  });
});

describe("verifyText", () => {
  const keys = createKeyPair(5);
  const wallet = encodeAddress(keys);
  const signature = encodeBase64(signText(keys, AUTH_TEXT));

  test("refuses the last line of a verified text if the signature contains the lines before it", () => {
    const verifier = createVerifier();
    const [keys, text] = [createKeyPair(7), `first line\n${AUTH_TEXT}`];
    const signature = encodeBase64(signText(keys, text));
    expect(verifier.verifyText(encodeAddress(keys), text, signature)).toBe(true);
    expect(verifier.verifyText(encodeAddress(keys), AUTH_TEXT, `${signature}\nfirst line`)).toBe(false);
  });

  test.each([
    ["another wallet", encodeAddress(createKeyPair(6)), signature],
    ["no wallet", "", signature],
    ["a wallet that is not base58", "0".repeat(44), signature],
    ["a space after the wallet", `${wallet} `, signature],
    ["no signature", wallet, ""],
    ["another wallet's signature", wallet, encodeBase64(signText(createKeyPair(6), AUTH_TEXT))],
    ["S + L", wallet, encodeBase64(addGroupOrder(signText(keys, AUTH_TEXT)))],
    ["a signature without padding", wallet, signature.replaceAll("=", "")],
    ["a line break after the signature", wallet, `${signature}\n`],
    ["the signature in the URL alphabet", wallet, Buffer.from(signature, "base64").toString("base64url")],
    ["the signature in hex", wallet, Buffer.from(signature, "base64").toString("hex")],
    ["a part of the signature moved into the wallet", `${wallet}\n${signature}`, ""],
    ["wallet and signature exchanged", signature, wallet],
    ["a megabyte", wallet, "A".repeat(1_000_000)],
  ])("refuses %s, before and after it has verified the right pair", (_caseName, wrongWallet, wrongSignature) => {
    const verifier = createVerifier();
    expect(verifier.verifyText(wrongWallet, AUTH_TEXT, wrongSignature)).toBe(false);
    expect(verifier.verifyText(wallet, AUTH_TEXT, signature)).toBe(true);
    expect(verifier.verifyText(wrongWallet, AUTH_TEXT, wrongSignature)).toBe(false);
    expect(verifier.verifyText(wallet, AUTH_TEXT, signature)).toBe(true);
  });

  test("accepts a signature in its own form only, before and after it has verified that", () => {
    const verifier = createVerifier();
    const messageOf = {
      plain: encodeUtf8(AUTH_TEXT),
      "offchain-0": encodeOffchainMessage(0, AUTH_TEXT, [wallet], { format: 1 }),
      "offchain-1": encodeOffchainMessage(1, AUTH_TEXT, [wallet]),
    };
    const forms = Object.keys(messageOf) as (keyof typeof messageOf)[];
    for (const claimedForm of [...forms, ...forms])
      for (const signedForm of forms) {
        const signature = encodeBase64(nacl.sign.detached(messageOf[signedForm], keys.secretKey));
        expect(verifier.verifyText(wallet, AUTH_TEXT, signature, claimedForm)).toBe(claimedForm === signedForm);
        const malleated = encodeBase64(addGroupOrder(Buffer.from(signature, "base64")));
        expect(verifier.verifyText(wallet, AUTH_TEXT, malleated, claimedForm)).toBe(false);
      }
  });

  test("agrees with tweetnacl on repeated pairs in any order", () => {
    const anyKeyPair = fc.constantFrom(createKeyPair(7), createKeyPair(8), createKeyPair(9));
    const anyText = fc.constantFrom(AUTH_TEXT, SERVICE_WALLET_TEXT);
    const anyCheck = fc.record({
      claimedKeys: anyKeyPair,
      signingKeys: anyKeyPair,
      claimedText: anyText,
      signedText: anyText,
    });
    const property = fc.property(fc.array(anyCheck, { maxLength: 30 }), (checks) => {
      const verifier = createVerifier();
      for (const { claimedKeys, signingKeys, claimedText, signedText } of checks) {
        const signature = encodeBase64(signText(signingKeys, signedText));
        const isAccepted = verifier.verifyText(encodeAddress(claimedKeys), claimedText, signature);
        expect(isAccepted).toBe(claimedKeys === signingKeys && claimedText === signedText);
      }
    });
    fc.assert(property, { numRuns: 15 });
  });
});
