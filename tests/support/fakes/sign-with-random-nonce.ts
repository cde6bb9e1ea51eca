import { ed25519 } from "@noble/curves/ed25519";
import { bytesToNumberLE, numberToBytesLE } from "@noble/curves/utils";
import nacl from "tweetnacl";

/** Creates a valid Ed25519 signature with a random nonce, as threshold signers do. */
export function signWithRandomNonce(message: Uint8Array, { secretKey, publicKey }: nacl.SignKeyPair): Uint8Array {
  const { scalar } = ed25519.utils.getExtendedPublicKey(secretKey.subarray(0, 32));
  const order = ed25519.CURVE.n;
  const nonce = bytesToNumberLE(nacl.randomBytes(64)) % order;
  const point = ed25519.Point.BASE.multiply(nonce).toBytes();
  const challenge = bytesToNumberLE(nacl.hash(Buffer.concat([point, publicKey, message])));
  const response = (nonce + challenge * scalar) % order;
  return Uint8Array.of(...point, ...numberToBytesLE(response, 32));
}
