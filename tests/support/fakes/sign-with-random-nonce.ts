import { ed25519 } from "@noble/curves/ed25519";
import nacl from "tweetnacl";

/** Creates a valid Ed25519 signature with a random nonce, as threshold signers do. */
export function signWithRandomNonce(message: Uint8Array, { secretKey, publicKey }: nacl.SignKeyPair): Uint8Array {
  const { scalar } = ed25519.utils.getExtendedPublicKey(secretKey.subarray(0, 32));
  const order = ed25519.CURVE.n;
  const toScalar = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`) % order;
  const nonce = toScalar(nacl.randomBytes(64));
  const point = ed25519.Point.BASE.multiply(nonce).toBytes();
  const challenge = toScalar(nacl.hash(Buffer.concat([point, publicKey, message])));
  const response = (nonce + challenge * scalar) % order;
  const encodedResponse = Buffer.from(response.toString(16).padStart(64, "0"), "hex").reverse();
  return new Uint8Array(Buffer.concat([point, encodedResponse]));
}
