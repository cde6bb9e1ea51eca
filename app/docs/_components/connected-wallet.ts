import type { Credentials } from "@/lib/sdk/calls/calls";

/** What a console can request from a connected wallet. */
export interface ConnectedWallet {
  wallet: string;
  serviceWallet: string | null;
  credentials: Credentials | null;
  /** The service wallet's signature over a text, base64. */
  signAsService(text: string): Promise<string>;
  /** Signs with the main or the service wallet, whichever the transaction requires. */
  signTransaction(base64: string): Promise<string>;
  signOut(): Promise<void>;
}
