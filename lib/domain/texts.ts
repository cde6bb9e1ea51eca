/** The fixed texts that wallets sign. One line of printable ASCII each; changing a byte logs everybody out or loses their service wallets. */

/** Signed to prove who is calling; the signature travels in headers. */
export const AUTH_MESSAGE =
  "Roundup sign-in: this signature proves to Roundup that you own this wallet. It moves no money and costs nothing.";

/** Signed to derive the service wallet; its signature is key material and must never be used as a credential. */
export const SERVICE_WALLET_MESSAGE =
  "Roundup service wallet v1: this signature is the key to your Roundup service wallet. Sign it only inside an app you trust with that wallet, and never share it.";

/** Signed by a service wallet that its owner derived alone, with both addresses filled in: that it is there and whose it is. */
export const SERVICE_WALLET_LINK =
  "Roundup service wallet v1 link: {publicKey} is the Roundup service wallet of {owner}. This signature proves that its key is at hand. It moves no money and costs nothing.";

/** The link text with both addresses (base58) filled in: what a service wallet signs. */
export function fillLink(link: string, owner: string, publicKey: string): string {
  return link.replace("{owner}", owner).replace("{publicKey}", publicKey);
}
