import bs58 from "bs58";
import nacl from "tweetnacl";
import { SANDBOX_DEPLOYMENT } from "../../domain/signed-texts";
import { encodeUtf8 } from "../../solana/bytes";
import { hasCanonicalScalar, isSmallOrder } from "../../solana/ed25519";
import {
  listHeaderlessMessages,
  listSignedMessages,
  SIGNATURE_FORMS,
  type SignatureForm,
} from "../../solana/offchain-message";
import { AnotherTextError, WrongAccountError, WrongTextSignedError } from "../errors";

/** One kind of text that wallets sign. */
export interface TextKind {
  /** The text up to the deployment name. */
  prefix: string;
  createText(deployment: string): string;
}

/** Returns the deployment name in the signed texts. @throws {RangeError} unless `origin` is an origin or `sandbox` */
export function toDeployment(origin: string): string {
  if (origin === "sandbox") return SANDBOX_DEPLOYMENT;
  const url = URL.canParse(origin) ? new URL(origin) : null;
  if (!url || url.origin === "null" || ![url.origin, `${url.origin}/`].includes(origin)) {
    throw new RangeError("The origin must be like https://roundup.example, or the word sandbox.");
  }
  return url.origin;
}

/**
 * Returns the deployment that a text names. Without this check, a service could obtain a signature over a different text,
 * or for a different deployment. @param deployment the expected deployment; default: any @throws {AnotherTextError}
 */
export function verifyTextDeployment(text: string, { prefix, createText }: TextKind, deployment?: string): string {
  const namedDeployment = text.slice(prefix.length, text.indexOf(")"));
  if (!text.startsWith(prefix) || text !== createText(namedDeployment)) {
    throw new AnotherTextError(`The service asks for another text than “${prefix}…”. Nothing was signed.`);
  }
  if (deployment !== undefined && namedDeployment !== deployment) {
    throw new AnotherTextError(
      `The service asks for a signature for “${namedDeployment}”, not for “${deployment}”. Nothing was signed.`,
    );
  }
  return namedDeployment;
}

export interface TextSigner {
  /** Base58. */
  address: string;
  /**
   * Returns the 64-byte signature over the message, or over an off-chain message of version 0 or 1 that says it and
   * names this wallet as the only signer. The wallet may prompt the user.
   */
  signMessage(message: Uint8Array): Promise<Uint8Array>;
}

/**
 * Signs a text. @returns the signature, and the form in which the wallet has signed the text
 * @throws {WrongTextSignedError} when it signed an off-chain message that does not name the signer
 * @throws {WrongAccountError} when it signed nothing that says the text
 */
export async function signText(
  { address, signMessage }: TextSigner,
  text: string,
): Promise<{ signature: Uint8Array; form: SignatureForm }> {
  const [message, publicKey] = [encodeUtf8(text), bs58.decode(address)];
  const signature = await signMessage(message);
  const isSigned = (signedMessage: Uint8Array) => isValidSignature(signedMessage, signature, publicKey);
  const form = SIGNATURE_FORMS.find((candidate) => listSignedMessages(candidate, message, publicKey).some(isSigned));
  if (form) return { signature, form };
  throw listHeaderlessMessages(message).some(isSigned) ? new WrongTextSignedError() : new WrongAccountError();
}

/** Returns whether an Ed25519 signature is valid. The service has the same strict rules. */
export function isValidSignature(message: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean {
  return (
    signature.length === 64 &&
    publicKey.length === 32 &&
    hasCanonicalScalar(signature) &&
    !isSmallOrder(publicKey) &&
    nacl.sign.detached.verify(message, signature, publicKey)
  );
}
