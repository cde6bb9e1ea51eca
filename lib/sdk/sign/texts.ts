import bs58 from "bs58";
import nacl from "tweetnacl";
import { SANDBOX_DEPLOYMENT } from "../../domain/texts";
import { utf8 } from "../../solana/bytes";
import { isCanonicalScalar, isSmallOrder } from "../../solana/ed25519";
import { AnotherTextError, WrongAccountError } from "../errors";

/** A text that wallets sign: its prefix up to the deployment name, and a function that returns the full text. */
export interface TextKind {
  begins: string;
  createText(deployment: string): string;
}

/**
 * Returns the deployment name that appears in the signed texts.
 * @param origin the deployment's origin, e.g. `https://roundup.example`, or `sandbox`
 * @throws {RangeError} when it is neither
 */
export function toDeployment(origin: string): string {
  if (origin === "sandbox") return SANDBOX_DEPLOYMENT;
  const url = URL.canParse(origin) ? new URL(origin) : null;
  if (!url || url.origin === "null" || ![url.origin, `${url.origin}/`].includes(origin)) {
    throw new RangeError("The origin is one like https://roundup.example, or the word sandbox.");
  }
  return url.origin;
}

/**
 * Verifies a text before the wallet signs it, and returns the deployment that the text names. Otherwise a service could
 * obtain a signature over a different text, or for a different deployment.
 * @param deployment the expected deployment; default: any
 * @throws {AnotherTextError}
 */
export function readDeployment(text: string, { begins, createText }: TextKind, deployment?: string): string {
  const named = text.slice(begins.length, text.indexOf(")"));
  if (!text.startsWith(begins) || text !== createText(named)) {
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
  /** Returns the 64-byte signature over the message. It may prompt the user. */
  signMessage(message: Uint8Array): Promise<Uint8Array>;
}

/** Signs a text. Verifies the signature locally, to detect another account's. @throws {WrongAccountError} */
export async function signText({ address, signMessage }: TextSigner, text: string): Promise<Uint8Array> {
  const message = utf8(text);
  const signature = await signMessage(message);
  if (!isSignature(message, signature, bs58.decode(address))) throw new WrongAccountError();
  return signature;
}

/** Verifies a signature with the same strict rules as the service. */
export function isSignature(message: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean {
  return (
    signature.length === 64 &&
    publicKey.length === 32 &&
    isCanonicalScalar(signature) &&
    !isSmallOrder(publicKey) &&
    nacl.sign.detached.verify(message, signature, publicKey)
  );
}
