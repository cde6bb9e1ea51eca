import type { NamedNetwork } from "@/lib/domain/texts";
import type { Credentials } from "@/lib/sdk/calls/calls";

/**
 * Stores what this browser knows of a wallet. The sign-in is a credential and lasts as long as the tab. The service
 * wallet's address is public.
 */

const authKey = (wallet: string) => `roundup-auth:${wallet}`;
const serviceWalletKey = (wallet: string) => `roundup-service-wallet:${wallet}`;
const networkKey = (wallet: string) => `roundup-service-network:${wallet}`;

/** A derived service wallet: its address and the network named in the signed text. */
export interface StoredServiceWallet {
  address: string;
  network: NamedNetwork;
}

export interface StoredSession {
  credentials: Credentials | null;
  serviceWallet: StoredServiceWallet | null;
}

/**
 * Reads the stored session.
 * @param _version forces a new read when it changes
 */
export function readStoredSession(wallet: string | null, _version: number): StoredSession {
  if (!wallet) return { credentials: null, serviceWallet: null };
  const signature = sessionStorage.getItem(authKey(wallet));
  return {
    credentials: signature ? { "x-wallet": wallet, "x-signature": signature } : null,
    serviceWallet: serviceWalletOf(wallet),
  };
}

export const storeSignature = (wallet: string, signature: string) => sessionStorage.setItem(authKey(wallet), signature);
export const forgetSignature = (wallet: string) => sessionStorage.removeItem(authKey(wallet));

/**
 * Returns the stored service wallet. An entry without a network counts as missing: the wallet is derived again, and its
 * text names the network.
 */
function serviceWalletOf(wallet: string): StoredServiceWallet | null {
  const address = localStorage.getItem(serviceWalletKey(wallet));
  const network = localStorage.getItem(networkKey(wallet));
  return address && (network === "sandbox" || network === "mainnet-beta") ? { address, network } : null;
}

export function storeServiceWallet(wallet: string, { address, network }: StoredServiceWallet): void {
  localStorage.setItem(networkKey(wallet), network);
  localStorage.setItem(serviceWalletKey(wallet), address);
}
