import { ED25519_TORSION_SUBGROUP } from "@noble/curves/ed25519";

/** Field prime and group order. Source: RFC 8032, section 5.1. */
export const FIELD_PRIME = 2n ** 255n - 19n;
export const GROUP_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

/** 32 bytes, little-endian. */
export function littleEndian(value: bigint): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn));
}

function fromLittleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}

/** A signature with the group order added to its second half: as valid to a lax verifier as the original. */
export function withOrderAdded(signature: Uint8Array): Uint8Array {
  const scalar = fromLittleEndian(signature.subarray(32)) + GROUP_ORDER;
  return Uint8Array.of(...signature.subarray(0, 32), ...littleEndian(scalar));
}

/** Other ways to write a right signature, or nearly: a lax decoder takes some of them, the service none. */
export function laxSignatures(signature: Uint8Array): Record<string, string> {
  const bytes = Buffer.from(signature);
  const base64 = bytes.toString("base64");
  // Two base64 digits carry four spare bits: the last one before the padding may differ and decode alike.
  const spareBits = `${base64.slice(0, 85)}${String.fromCharCode(base64.charCodeAt(85) + 1)}==`;
  const texts = {
    "S + L": Buffer.from(withOrderAdded(signature)).toString("base64"),
    "64 zero bytes": Buffer.alloc(64).toString("base64"),
    "63 bytes": bytes.subarray(1).toString("base64"),
    "65 bytes": Buffer.concat([bytes, Buffer.alloc(1)]).toString("base64"),
    "no padding": base64.slice(0, 86),
    "too much padding": `${base64}==`,
    "spare bits set": spareBits,
    "a space inside": `${base64.slice(0, 40)} ${base64.slice(40)}`,
    base64url: `${bytes.toString("base64url")}==`,
    hex: bytes.toString("hex"),
    empty: "",
  };
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== base64));
}

/**
 * Every encoding of a point of order 1, 2, 4 or 8: the y of each, also as y + p where that still fits, with either sign
 * bit. Made from the torsion subgroup, not from the list in the code under test.
 */
export const SMALL_ORDER_ENCODINGS: Uint8Array[] = (() => {
  const ys = ED25519_TORSION_SUBGROUP.map((hex) => fromLittleEndian(Buffer.from(hex, "hex")) % 2n ** 255n);
  const lifted = ys.map((y) => y + FIELD_PRIME).filter((y) => y < 2n ** 255n);
  return [...new Set([...ys, ...lifted])].flatMap((y) => [littleEndian(y), littleEndian(y + 2n ** 255n)]);
})();
