/** Matches every transaction signature, base58 of 64 bytes. Also matches some texts that decode to another length. */
export const TX_SIGNATURE_PATTERN = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;
