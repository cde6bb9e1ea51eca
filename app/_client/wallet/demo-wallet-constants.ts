/* Pages use these without loading the demo wallet's code. */

export const DEMO_WALLET_NAME = "Demo wallet (play money)";
/** The demo wallet's seed, base64. "Forget this browser" removes it. */
export const DEMO_SEED_STORAGE_KEY = "roundup-demo-wallet";

const demoWallets = new WeakSet<object>();
/** A foreign wallet can take the demo wallet's name only. */
export const recordDemoWallet = (wallet: object) => void demoWallets.add(wallet);
export const isDemoWallet = (wallet: object): boolean => demoWallets.has(wallet);
