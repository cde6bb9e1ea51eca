/** Format of a transaction signature: base58 of 64 bytes. Some texts in this format decode to another length. */
export const TX_SIGNATURE_PATTERN = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;
