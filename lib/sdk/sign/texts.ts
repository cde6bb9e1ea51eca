import bs58 from "bs58";
import nacl from "tweetnacl";
import { SANDBOX_DEPLOYMENT } from "../../domain/texts";
import { utf8 } from "../../solana/bytes";
import { isCanonicalScalar, isSmallOrder } from "../../solana/ed25519";

/** The wallet signed with another account than the one that is connected. */
export class WrongAccountError extends Error {
  override name = "WrongAccountError";
}

/** The service asks for a text that nothing is signed of here. */
export class AnotherTextError extends Error {
  override name = "AnotherTextError";
}

/** One of the texts that wallets sign: how it begins, up to its deployment, and the whole of it. */
export interface TextKind {
  begins: string;
  of(deployment: string): string;
}

/**
 * What the texts of a deployment name.
 * @param origin its origin, e.g. `https://roundup.example`, or `sandbox`
 * @throws {RangeError} when it is neither
 */
export function deploymentOf(origin: string): string {
  if (origin === "sandbox") return SANDBOX_DEPLOYMENT;
  const url = URL.canParse(origin) ? new URL(origin) : null;
  if (!url || url.origin === "null" || ![url.origin, `${url.origin}/`].includes(origin)) {
    throw new RangeError("The origin is one like https://roundup.example, or the word sandbox.");
  }
  return url.origin;
}

/**
 * A service must not get another text signed under this one's name, nor another deployment's.
 * @param deployment the one that is expected; any, unless the caller knows
 * @returns the deployment that the text names @throws {AnotherTextError}
 */
export function deploymentNamedBy(text: string, { begins, of }: TextKind, deployment?: string): string {
  const named = text.slice(begins.length, text.indexOf(")"));
  if (!text.startsWith(begins) || text !== of(named)) {
    throw new AnotherTextError(`The service asks for another text than “${begins}…”. Nothing was signed.`);
  }
  if (deployment !== undefined && named !== deployment) {
    throw new AnotherTextError(
      `The service asks for a signature for “${named}”, not for “${deployment}”. Nothing was signed.`,
    );
  }
  return named;
}

/** Signs texts for one address. */
export interface TextSigner {
  /** Base58. */
  address: string;
  /** The 64 bytes of its signature over these bytes. It may ask a person. */
  signMessage(message: Uint8Array): Promise<Uint8Array>;
}

/** A signature that is verified here, so that a wrong account is told from a wrong text. @throws {WrongAccountError} */
export async function signText({ address, signMessage }: TextSigner, text: string): Promise<Uint8Array> {
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
