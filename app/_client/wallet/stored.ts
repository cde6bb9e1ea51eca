import type { Credentials } from "@/lib/sdk/calls/calls";

/** What this browser knows of a wallet. The sign-in is a credential: it lives as long as the tab. A service wallet's address is public. */

const authKey = (wallet: string) => `roundup-auth:${wallet}`;
const serviceWalletKey = (wallet: string) => `roundup-service-wallet:${wallet}`;

export interface Stored {
  credentials: Credentials | null;
  serviceWallet: string | null;
}

/** `_version` is what makes it read again. */
export function storedOf(wallet: string | null, _version: number): Stored {
  if (!wallet) return { credentials: null, serviceWallet: null };
  const signature = sessionStorage.getItem(authKey(wallet));
  return {
    credentials: signature ? { "x-wallet": wallet, "x-signature": signature } : null,
    serviceWallet: localStorage.getItem(serviceWalletKey(wallet)),
  };
}

export const storeSignature = (wallet: string, signature: string) => sessionStorage.setItem(authKey(wallet), signature);
export const forgetSignature = (wallet: string) => sessionStorage.removeItem(authKey(wallet));
export const storeServiceWallet = (wallet: string, address: string) =>
  localStorage.setItem(serviceWalletKey(wallet), address);
