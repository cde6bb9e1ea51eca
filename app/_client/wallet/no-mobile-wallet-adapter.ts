import { BaseWalletAdapter, type WalletName, WalletReadyState } from "@solana/wallet-adapter-base";

/*
 * Replaces @solana-mobile/wallet-adapter-mobile (see next.config.mjs), which WalletProvider always imports. It would
 * add 51 kB to every page for a websocket that our Content-Security-Policy blocks. On a phone, people open the page in
 * the wallet's own browser, where Wallet Standard works.
 */
export const SolanaMobileWalletAdapterWalletName = "Mobile Wallet Adapter" as WalletName<"Mobile Wallet Adapter">;

/** WalletProvider constructs it on Android without a wallet, and offers no adapter that is `Unsupported`. */
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
