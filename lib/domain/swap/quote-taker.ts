/**
 * The wallet named as taker when only a quote is wanted: the aggregator's build call needs one, and the same call for
 * quote and build makes the two agree. Nothing built for it is ever signed. The public key of the Ed25519 seed
 * sha256("roundup/quote-taker"), so anyone can sign as it: it must never hold or receive anything.
 */
export const QUOTE_TAKER = "GHWUU5THxVSfc559pvMZ2FA8rvEdMukeEf9ZHs5KJzee";
