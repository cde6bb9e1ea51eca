import type { Credentials } from "@/lib/sdk/calls/calls";

/** What the consoles may ask of a connected wallet. */
export interface ConnectedWallet {
  wallet: string;
  serviceWallet: string | null;
  credentials: Credentials | null;
  /** The service wallet's signature over a text, base64. */
  signAsService(text: string): Promise<string>;
  /** Signs with whichever of the two wallets the transaction asks for. */
  signTransaction(base64: string): Promise<string>;
  signOut(): Promise<void>;
}
