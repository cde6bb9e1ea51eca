import type { Credentials } from "@/lib/sdk/calls/calls";

/** A connected wallet, and the signatures that a console can request from it. */
export interface ConnectedWallet {
  wallet: string;
  serviceWallet: string | null;
  credentials: Credentials | null;
  /** Signs a text with the service wallet. Returns the signature in base64. */
  signAsService(text: string): Promise<string>;
  /** Signs with the main or the service wallet, whichever the transaction requires. */
  signTransaction(base64: string): Promise<string>;
  signOut(): Promise<void>;
}
