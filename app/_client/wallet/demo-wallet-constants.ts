/* Pages use these without loading the demo wallet's code. */

/** The name under which the demo wallet registers. */
export const DEMO_WALLET_NAME = "Demo wallet (play money)";
/** The stored entry that holds the demo wallet's seed, base64. "Forget this browser" removes it. */
export const DEMO_SEED_STORAGE_KEY = "roundup-demo-wallet";

const demoWallets = new WeakSet<object>();
/** Records the page's own demo wallet. A foreign wallet can take its name only. */
export const recordDemoWallet = (wallet: object) => void demoWallets.add(wallet);
export const isDemoWallet = (wallet: object): boolean => demoWallets.has(wallet);
