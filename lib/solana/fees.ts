/**
 * The network's base fee per signature. Source: Solana docs, "Transaction fees" (default target of 5,000 lamports per
 * signature). Stated in previews; what is charged is the runtime's business.
 */
export const BASE_FEE_LAMPORTS = 5_000n;

/** Bytes of an SPL token account without extensions. Source: spl-token `Account::LEN`. */
export const TOKEN_ACCOUNT_BYTES = 165;
