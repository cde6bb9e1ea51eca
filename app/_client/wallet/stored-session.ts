import type { NamedNetwork } from "@/lib/domain/signed-texts";
import type { SignInCredentials } from "@/lib/sdk/calls/calls";
import { OFFCHAIN_FORMS } from "@/lib/solana/offchain-message";
import { browserStore, tabStore } from "../local-storage/browser-storage";

/* The sign-in is a credential, so it is stored only while the tab is open. The service wallet's address is public. */

const toAuthKey = (wallet: string) => `roundup-auth:${wallet}`;
const toServiceWalletStorageKey = (wallet: string) => `roundup-service-wallet:${wallet}`;
const toNetworkKey = (wallet: string) => `roundup-service-network:${wallet}`;

/** With the network named in the signed text. */
export interface StoredServiceWallet {
  address: string;
  network: NamedNetwork;
}

export interface StoredSession {
  credentials: SignInCredentials | null;
  /** Of the credentials, ms since the epoch. Null: never. */
  expiresAt: number | null;
  serviceWallet: StoredServiceWallet | null;
}

/** @param _version forces a new read when it changes */
export function readStoredSession(wallet: string | null, _version: number): StoredSession {
  if (!wallet) return { credentials: null, serviceWallet: null, expiresAt: null };
  return { ...readSignIn(wallet), serviceWallet: readServiceWallet(wallet) };
}

/** Nulls after its expiry. A sign-in by the fixed text never expires. */
function readSignIn(wallet: string): Pick<StoredSession, "credentials" | "expiresAt"> {
  const text = tabStore.get(toAuthKey(wallet));
  const [signature, formOrMessage, expiryText] = text?.split(" ") ?? [];
  const expiresAt = expiryText === undefined ? null : Number(expiryText);
  if (!signature || (expiresAt !== null && !(Date.now() < expiresAt))) return { credentials: null, expiresAt: null };
  const credentials = { "x-wallet": wallet, "x-signature": signature };
  const form = OFFCHAIN_FORMS.find((name) => name === formOrMessage);
  if (form) return { credentials: { ...credentials, "x-signature-form": form }, expiresAt };
  if (formOrMessage) return { credentials: { ...credentials, "x-siws-message": formOrMessage }, expiresAt };
  return { credentials, expiresAt };
}

/** @param expiresAt ms since the epoch; required for a Sign In With Solana */
export function storeSignIn(signIn: SignInCredentials, expiresAt?: number): void {
  const { "x-signature": signature, "x-siws-message": message, "x-signature-form": form } = signIn;
  const storedParts = [signature, ...(message ? [message, expiresAt] : form ? [form] : [])];
  tabStore.keep(toAuthKey(signIn["x-wallet"]), storedParts.join(" "));
}

export const forgetSignIn = (wallet: string) => tabStore.store(toAuthKey(wallet), null);

/** An entry without a network counts as missing: the onboarding derives the wallet again from a text that names one. */
export function readServiceWallet(wallet: string): StoredServiceWallet | null {
  const address = browserStore.get(toServiceWalletStorageKey(wallet));
  const network = browserStore.get(toNetworkKey(wallet));
  return address && (network === "sandbox" || network === "mainnet-beta") ? { address, network } : null;
}

export function storeServiceWallet(wallet: string, { address, network }: StoredServiceWallet): void {
  browserStore.keep(toNetworkKey(wallet), network);
  browserStore.keep(toServiceWalletStorageKey(wallet), address);
}
