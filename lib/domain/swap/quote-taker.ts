/**
 * The taker for requests that only need a quote. The aggregator's build call requires a taker, and using one call for
 * quotes and builds keeps both consistent. Transactions built for this taker are never signed. It is the public key of
 * the Ed25519 seed sha256("roundup/quote-taker"). Anyone can sign for it, so it must never hold or receive funds.
 */
export const QUOTE_TAKER = "GHWUU5THxVSfc559pvMZ2FA8rvEdMukeEf9ZHs5KJzee";
