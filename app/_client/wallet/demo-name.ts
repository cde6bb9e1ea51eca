/** The name under which the demo wallet registers. */
export const DEMO_WALLET = "Demo wallet (play money)";
