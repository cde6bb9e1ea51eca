/** The name under which the demo wallet registers. */
export const DEMO_WALLET_NAME = "Demo wallet (play money)";
/** localStorage key of the demo wallet's key. */
export const DEMO_SEED_KEY = "roundup-demo-wallet";
