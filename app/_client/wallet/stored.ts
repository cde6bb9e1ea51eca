import type { NamedNetwork } from "@/lib/domain/texts";
import type { Credentials } from "@/lib/sdk/calls/calls";

/** What this browser knows of a wallet. The sign-in is a credential: it lives as long as the tab. A service wallet's address is public. */

const authKey = (wallet: string) => `roundup-auth:${wallet}`;
const serviceWalletKey = (wallet: string) => `roundup-service-wallet:${wallet}`;
const networkKey = (wallet: string) => `roundup-service-network:${wallet}`;

/** A service wallet as its derivation left it: its address, and the network of the text that was signed. */
export interface StoredServiceWallet {
  address: string;
  network: NamedNetwork;
}

export interface StoredSession {
  credentials: Credentials | null;
  serviceWallet: StoredServiceWallet | null;
}

/** `_version` is what makes it read again. */
export function storedOf(wallet: string | null, _version: number): StoredSession {
  if (!wallet) return { credentials: null, serviceWallet: null };
  const signature = sessionStorage.getItem(authKey(wallet));
  return {
    credentials: signature ? { "x-wallet": wallet, "x-signature": signature } : null,
    serviceWallet: serviceWalletOf(wallet),
  };
}

export const storeSignature = (wallet: string, signature: string) => sessionStorage.setItem(authKey(wallet), signature);
export const forgetSignature = (wallet: string) => sessionStorage.removeItem(authKey(wallet));

/** Without its network it counts as unknown: it is derived once more, and the text says which it is. */
function serviceWalletOf(wallet: string): StoredServiceWallet | null {
  const address = localStorage.getItem(serviceWalletKey(wallet));
  const network = localStorage.getItem(networkKey(wallet));
  return address && (network === "sandbox" || network === "mainnet-beta") ? { address, network } : null;
}

export function storeServiceWallet(wallet: string, { address, network }: StoredServiceWallet): void {
  localStorage.setItem(networkKey(wallet), network);
  localStorage.setItem(serviceWalletKey(wallet), address);
}
