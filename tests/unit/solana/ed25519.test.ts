import { PublicKey } from "@solana/web3.js";
import bs58 from "bs58";
import fc from "fast-check";
import nacl from "tweetnacl";
import { describe, expect, test } from "vitest";
import { fromBase64, toBase64, toHex } from "../../../lib/solana/bytes";
import { findWalletAddressFault, isTransactionSignature, parseSignature } from "../../../lib/solana/ed25519";
import { TOKEN_PROGRAM } from "../../../lib/solana/programs";
import {
  addGroupOrder,
  encodeLittleEndian,
  FIELD_PRIME,
  GROUP_ORDER,
  SMALL_ORDER_ENCODINGS,
} from "../../support/fixtures/ed25519-points";

const createAnyBytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

describe("findWalletAddressFault", () => {
  test("refuses all 14 encodings of small-order points", () => {
    expect(new Set(SMALL_ORDER_ENCODINGS.map(toHex)).size).toBe(14);
    for (const point of SMALL_ORDER_ENCODINGS)
      expect(findWalletAddressFault(bs58.encode(point)), toHex(point)).toMatch(/small order/);
  });

  test("refuses a program's derived address as off the curve", () => {
    const property = fc.property(createAnyBytes(8), (seed) => {
      const [address] = PublicKey.findProgramAddressSync([seed], new PublicKey(TOKEN_PROGRAM));
      expect(findWalletAddressFault(address.toBase58())).toMatch(/off the curve/);
    });
    fc.assert(property, { numRuns: 10 });
  });

  test("refuses a y-coordinate that is not reduced modulo the field prime", () => {
    for (let above = 0n; above < 19n; above++) {
      for (const sign of [0n, 2n ** 255n]) {
        expect(findWalletAddressFault(bs58.encode(encodeLittleEndian(FIELD_PRIME + above + sign)))).not.toBeNull();
      }
    }
  });

  test.each([0, 1, 31, 33, 64])("refuses base58 of %i bytes", (length) => {
    expect(findWalletAddressFault(bs58.encode(new Uint8Array(length).fill(7)))).toBe("is not base58 of 32 bytes");
  });

  const valid = bs58.encode(nacl.sign.keyPair.fromSeed(new Uint8Array(32).fill(9)).publicKey);
  test.each([
    ["an empty text", ""],
    ["a zero", `0${valid.slice(1)}`],
    ["a capital o", `O${valid.slice(1)}`],
    ["a capital i", `I${valid.slice(1)}`],
    ["a small l", `l${valid.slice(1)}`],
    ["a space before", ` ${valid}`],
    ["a space after", `${valid} `],
    ["a line break after", `${valid}\n`],
    ["a leading 1", `1${valid}`],
    ["hex", "9".repeat(64)],
    ["text outside ASCII", "é".repeat(40)],
    ["surrogates", "\ud800".repeat(40)],
    ["a null byte", `${valid.slice(0, -1)}\0`],
    ["a million characters", "2".repeat(1_000_000)],
    ["a million ones", "1".repeat(1_000_000)],
    ["32 bytes of 0xff", bs58.encode(new Uint8Array(32).fill(255))],
  ])("refuses %s", (_caseName, text) => {
    expect(findWalletAddressFault(text)).not.toBeNull();
  });

  test("never throws for any text", () => {
    const anyText = fc.oneof(fc.string({ maxLength: 60 }), createAnyBytes(32).map(bs58.encode));
    const property = fc.property(anyText, (text) => {
      expect(["string", "object"]).toContain(typeof findWalletAddressFault(text));
    });
    fc.assert(property);
  });
});

describe("fromBase64", () => {
  test("reads exactly what toBase64 writes", () => {
    const property = fc.property(fc.uint8Array({ maxLength: 200 }), (data) => {
      const text = toBase64(data);
      expect(text).toBe(Buffer.from(data).toString("base64"));
      expect(fromBase64(text)).toEqual(data);
    });
    fc.assert(property);
  });

  test("reads only text that it would write the same way", () => {
    const anyCharacter = fc.constantFrom(..."ABYZabyz0189+/=-_ \n\t%é");
    const property = fc.property(fc.string({ unit: anyCharacter, maxLength: 12 }), (text) => {
      const data = fromBase64(text);
      if (data !== null) expect(toBase64(data)).toBe(text);
    });
    fc.assert(property, { numRuns: 2_000 });
  });
});

describe("parseSignature", () => {
  const keys = nacl.sign.keyPair.fromSeed(new Uint8Array(32).fill(1));
  const signature = nacl.sign.detached(Buffer.from("text"), keys.secretKey);
  const withScalar = (scalar: bigint) => Uint8Array.of(...signature.subarray(0, 32), ...encodeLittleEndian(scalar));

  test("accepts only a scalar S below the group order L", () => {
    expect(parseSignature(toBase64(withScalar(GROUP_ORDER - 1n)))).not.toBeNull();
    const invalidScalars = [GROUP_ORDER, GROUP_ORDER + 1n, 2n ** 256n - 1n];
    for (const invalid of [...invalidScalars.map(withScalar), addGroupOrder(signature)])
      expect(parseSignature(toBase64(invalid))).toBeNull();
  });

  const text = toBase64(signature);
  test.each([
    ["an empty text", ""],
    ["63 bytes", toBase64(signature.subarray(1))],
    ["65 bytes", toBase64(Uint8Array.of(...signature, 0))],
    ["66 bytes, of the same length in base64", toBase64(Uint8Array.of(...signature, 0, 0))],
    ["base64 without padding", text.replaceAll("=", "")],
    ["base64 with one padding character too few", text.slice(0, -1)],
    ["base64 with a trailing bit set", `${text.slice(0, -3)}B==`],
    ["the URL alphabet", "-_".repeat(43).padEnd(88, "=")],
    ["a space for a character", ` ${text.slice(1)}`],
    ["a line break after", `${text}\n`],
    ["base58", bs58.encode(signature)],
    ["hex", toHex(signature)],
    ["a million characters", "A".repeat(1_000_000)],
  ])("refuses %s", (_caseName, invalidText) => {
    expect(parseSignature(invalidText)).toBeNull();
  });
});

test("isTransactionSignature accepts base58 of 64 bytes and of no other length", () => {
  const property = fc.property(fc.uint8Array({ minLength: 40, maxLength: 90 }), (data) => {
    expect(isTransactionSignature(bs58.encode(data))).toBe(data.length === 64);
  });
  fc.assert(property);
  for (const fill of [0, 255]) expect(isTransactionSignature(bs58.encode(new Uint8Array(64).fill(fill)))).toBe(true);
});
