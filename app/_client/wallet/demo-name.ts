/** The name under which the demo wallet registers. */
export const DEMO_WALLET_NAME = "Demo wallet (play money)";
