/** The two fixed texts a wallet signs. One line of printable ASCII each; changing a byte logs everybody out or loses their service wallets. */

/** Signed to prove who is calling; the signature travels in headers. */
export const AUTH_MESSAGE =
  "Roundup sign-in: this signature proves to Roundup that you own this wallet. It moves no money and costs nothing.";

/** Signed to derive the service wallet; its signature is key material and must never be used as a credential. */
export const SERVICE_WALLET_MESSAGE =
  "Roundup service wallet v1: this signature is the key to your Roundup service wallet. Sign it only inside an app you trust with that wallet, and never share it.";
