/**
 * Writes the off-chain messages that hardware wallets sign in place of a plain text.
 * Source: docs.anza.xyz/proposals/off-chain-message-signing (version 0) and @solana/offchain-messages (version 1).
 */

/** The ways to sign a text as an off-chain message of version 0 or 1. */
export const OFFCHAIN_FORMS = ["offchain-0", "offchain-1"] as const;
export type OffchainForm = (typeof OFFCHAIN_FORMS)[number];

/** What a wallet signs for a text: its UTF-8 bytes, or an off-chain message that says it. */
export type SignatureForm = "plain" | OffchainForm;
export const SIGNATURE_FORMS: readonly SignatureForm[] = ["plain", ...OFFCHAIN_FORMS];

/** The first bytes of every off-chain message. No transaction begins like this. */
const SIGNING_DOMAIN = Uint8Array.of(0xff, ...new TextEncoder().encode("solana offchain"));

/** Returns whether the bytes are an off-chain message. */
export const isOffchainMessage = (bytes: Uint8Array): boolean => SIGNING_DOMAIN.every((byte, i) => bytes[i] === byte);

/** Message formats of version 0: restricted ASCII and limited UTF-8. Both apply to an ASCII text, and wallets differ. */
const FORMATS = [0, 1];
/** The empty application domain. No wallet documents another one, so all others are refused. */
const NO_APPLICATION = new Uint8Array(32);

const join = (parts: ArrayLike<number>[]) =>
  Uint8Array.from([SIGNING_DOMAIN, ...parts].flatMap((part) => Array.from(part)));
const toLength = ({ length }: Uint8Array) => [length & 0xff, length >> 8];

/** Lists the messages that say a text (ASCII, at most 1,232 bytes) in a form, for this only signer (32 bytes). */
export function listSignedMessages(form: SignatureForm, text: Uint8Array, signer: Uint8Array): Uint8Array[] {
  if (form === "plain") return [text];
  if (form === "offchain-1") return [join([[1, 1], signer, text])];
  return FORMATS.map((format) => join([[0], NO_APPLICATION, [format, 1], signer, toLength(text), text]));
}

/** Old apps and the Solana CLI write version 0 without signer and application. Such signatures are not accepted. */
export const listHeaderlessMessages = (text: Uint8Array): Uint8Array[] =>
  FORMATS.map((format) => join([[0, format], toLength(text), text]));
