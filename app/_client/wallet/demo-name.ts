/** The demo wallet's name, as it registers itself. */
export const DEMO_WALLET = "Demo wallet (play money)";
