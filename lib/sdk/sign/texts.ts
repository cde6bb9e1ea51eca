import bs58 from "bs58";
import nacl from "tweetnacl";
import { utf8 } from "../../solana/bytes";
import { isCanonicalScalar, isSmallOrder } from "../../solana/ed25519";

/** The wallet signed with another account than the one that is connected. */
export class WrongAccountError extends Error {
  override name = "WrongAccountError";
}

/** Signs texts for one address. */
export interface TextSigner {
  /** Base58. */
  address: string;
  /** The 64 bytes of its signature over these bytes. It may ask a person. */
  signMessage(message: Uint8Array): Promise<Uint8Array>;
}

/**
 * A signature that is verified here, so that a wrong account is told from a wrong text.
 * @param kind how such a text begins: a service must not get another text signed under this one's name
 * @throws {WrongAccountError}
 */
export async function signText({ address, signMessage }: TextSigner, text: string, kind: string): Promise<Uint8Array> {
  if (!text.startsWith(kind)) throw new Error(`The service asks for another text than “${kind}…”. Nothing was signed.`);
  const message = utf8(text);
  const signature = await signMessage(message);
  if (!isSignature(message, signature, bs58.decode(address))) throw new WrongAccountError();
  return signature;
}

/** As strictly as the service looks at it. */
export function isSignature(message: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean {
  return (
    signature.length === 64 &&
    publicKey.length === 32 &&
    isCanonicalScalar(signature) &&
    !isSmallOrder(publicKey) &&
    nacl.sign.detached.verify(message, signature, publicKey)
  );
}
