import { BaseWalletAdapter, type WalletName, WalletReadyState } from "@solana/wallet-adapter-base";

/**
 * Replaces @solana-mobile/wallet-adapter-mobile (see next.config.mjs), which WalletProvider always imports. That adapter
 * reaches a phone's wallet app over a websocket. Our Content-Security-Policy (`connect-src 'self'`) blocks the socket,
 * and the adapter adds 51 kB to every page. On a phone, people open the page in the wallet's built-in browser, where
 * Wallet Standard works.
 */
export const SolanaMobileWalletAdapterWalletName = "Mobile Wallet Adapter" as WalletName<"Mobile Wallet Adapter">;

/**
 * WalletProvider constructs this class on Android when no wallet is installed. It offers no adapter whose state is
 * `Unsupported`, so nothing calls the methods.
 */
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
    throw new Error("The mobile wallet adapter is switched off. Open this page in the wallet app's browser.");
  }
}

export const createDefaultAddressSelector = () => undefined;
export const createDefaultAuthorizationResultCache = () => undefined;
export const createDefaultWalletNotFoundHandler = () => undefined;
