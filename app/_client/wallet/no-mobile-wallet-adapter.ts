import { BaseWalletAdapter, type WalletName, WalletReadyState } from "@solana/wallet-adapter-base";

/**
 * Stands in for @solana-mobile/wallet-adapter-mobile (next.config.ts), which WalletProvider brings along on its own: it
 * reaches a phone's wallet app over a websocket, which our Content-Security-Policy (connect-src 'self') refuses, and
 * costs every page 51 kB. On a phone the page is opened in the wallet's own browser, where Wallet Standard works.
 */
export const SolanaMobileWalletAdapterWalletName = "Mobile Wallet Adapter" as WalletName<"Mobile Wallet Adapter">;

/** Constructed by WalletProvider on Android when no wallet is installed; never offered, never connects. */
export class SolanaMobileWalletAdapter extends BaseWalletAdapter {
  name = SolanaMobileWalletAdapterWalletName;
  url = "";
  icon = "";
  publicKey = null;
  connecting = false;
  readyState = WalletReadyState.Unsupported;
  supportedTransactionVersions = null;
  async connect(): Promise<void> {}
  async disconnect(): Promise<void> {}
  async sendTransaction(): Promise<string> {
    throw new Error("Not a wallet");
  }
}

export const createDefaultAddressSelector = () => undefined;
export const createDefaultAuthorizationResultCache = () => undefined;
export const createDefaultWalletNotFoundHandler = () => undefined;
