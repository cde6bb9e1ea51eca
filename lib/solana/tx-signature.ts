/** The form of a transaction's signature, base58 of 64 bytes; not every text of this form has as many. */
export const TX_SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;
