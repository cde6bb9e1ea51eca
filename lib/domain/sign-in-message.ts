import { createSignInMessageText, parseSignInMessageText } from "@solana/wallet-standard-util";
import { CHAIN_NAMES } from "./sign-in-fields";
import { createAuthText, toNetwork } from "./signed-texts";

/*
 * This file reads the message that a wallet signs with Sign In With Solana (SIWS). The wallet builds the message from a
 * few fields, so it can show which site asks. Source of the fields: EIP-4361, and `solana:signIn` 1.0.0 of Wallet
 * Standard.
 *
 * Invariant: a message is accepted only if it names this deployment, this wallet and a nonce of this service. The
 * statement is the sign-in text, which names the deployment. On mainnet, domain and URI must be the deployment's origin
 * too: the wallet compares them with the origin of the page. A sandbox has no fixed origin, and its statement says so.
 */

/** Maximum length of a message, characters. A message for this service has about 450, all of them ASCII. */
export const MAX_SIGN_IN_LENGTH = 1_500;
/**
 * Maximum number of lines. A message for this service has about 12. The parser's regular expression takes time cubic in
 * the number of lines: without this limit, one header of 1,500 line breaks costs 10 ms.
 */
const MAX_SIGN_IN_LINES = 64;

interface SignInMessage {
  nonce: string;
  /** The earliest time at which the message is valid, ms since the epoch. Null when the wallet wrote none. */
  notBefore: number | null;
  /** The time at which the message expires, ms since the epoch. Null when the wallet wrote none. */
  expiresAt: number | null;
}

/**
 * Reads a message. Returns null if it is too long, is not in canonical form, has no nonce, has a time that cannot be
 * parsed, or is for another deployment, chain, origin or wallet.
 */
export function readSignInMessage(text: string, wallet: string, deployment: string): SignInMessage | null {
  if (text.length > MAX_SIGN_IN_LENGTH || text.split("\n").length > MAX_SIGN_IN_LINES) return null;
  const message = parseSignInMessageText(text);
  if (!message?.nonce || createSignInMessageText(message) !== text) return null;
  const chains: readonly string[] = CHAIN_NAMES[toNetwork(deployment)];
  const isOurs =
    message.address === wallet &&
    message.statement === createAuthText(deployment) &&
    message.version === "1" &&
    chains.includes(message.chainId ?? "") &&
    isAllowedOrigin(message.domain, message.uri, deployment);
  const [notBefore, expiresAt] = [parseTime(message.notBefore), parseTime(message.expirationTime)];
  if (!isOurs || Number.isNaN(notBefore) || Number.isNaN(expiresAt)) return null;
  return { nonce: message.nonce, notBefore, expiresAt };
}

/** Returns whether domain and URI name one origin: the deployment's on mainnet, any in a sandbox. */
function isAllowedOrigin(domain: string, uri: string | undefined, deployment: string): boolean {
  if (!uri || !URL.canParse(uri)) return false;
  const { origin, host } = new URL(uri);
  return host === domain && (toNetwork(deployment) === "sandbox" || origin === deployment);
}

/** Parses a time to ms since the epoch. Returns null if there is none, and NaN if it cannot be parsed. */
const parseTime = (text: string | undefined) => (text === undefined ? null : Date.parse(text));
