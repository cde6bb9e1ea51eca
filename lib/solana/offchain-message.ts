/**
 * Writes the off-chain messages that hardware wallets sign in place of a plain text.
 * Source: docs.anza.xyz/proposals/off-chain-message-signing (version 0), `OffchainMessage` in the solana-offchain-message
 * crate (its shorter version 0), and @solana/offchain-messages (version 1).
 */

/** The first bytes of every off-chain message. No transaction begins like this. */
const SIGNING_DOMAIN = Uint8Array.of(0xff, ...new TextEncoder().encode("solana offchain"));

/** Returns whether the bytes are an off-chain message. */
export const isOffchainMessage = (bytes: Uint8Array): boolean => SIGNING_DOMAIN.every((byte, i) => bytes[i] === byte);

/** Message formats of version 0: restricted ASCII and limited UTF-8. Both apply to an ASCII text. */
const FORMATS = [0, 1];
const NO_APPLICATION = new Uint8Array(32);

/** Lists the off-chain messages that say `text` for this only signer. @param text ASCII bytes, at most 65,535 */
export function listOffchainMessages(text: Uint8Array, signer: Uint8Array): Uint8Array[] {
  const length = [text.length & 0xff, text.length >> 8];
  const join = (...header: ArrayLike<number>[]) =>
    Uint8Array.from([SIGNING_DOMAIN, ...header, text].flatMap((part) => [...Array.from(part)]));
  return [
    ...FORMATS.map((format) => join([0], NO_APPLICATION, [format, 1], signer, length)),
    ...FORMATS.map((format) => join([0, format], length)),
    join([1, 1], signer),
  ];
}
