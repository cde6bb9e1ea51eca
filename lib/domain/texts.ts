/**
 * The texts that wallets sign, each one line of printable ASCII that names its deployment. Changing a byte of them logs
 * everybody out or loses their service wallets.
 */

/** In place of an origin, the same in every sandbox. */
export const SANDBOX_DEPLOYMENT = "sandbox, play money";

export type NamedNetwork = "sandbox" | "mainnet-beta";

/** The network that a deployment is of; whatever is not the sandbox's own name, to the byte, is held to be mainnet's. */
export const networkOf = (deployment: string): NamedNetwork =>
  deployment === SANDBOX_DEPLOYMENT ? "sandbox" : "mainnet-beta";

/** Signed to prove who is calling; the signature travels in headers. @param deployment an origin, or SANDBOX_DEPLOYMENT */
export const authText = (deployment: string) =>
  `Roundup sign-in (${deployment}): this signature proves to Roundup that you own this wallet. It moves no money and costs nothing.`;

/** Signed to derive the service wallet; its signature is key material and must never be used as a credential. */
export const serviceWalletText = (deployment: string) =>
  `Roundup service wallet v1 (${deployment}): this signature is the key to your Roundup service wallet. Sign it only inside an app you trust with that wallet, and never share it.`;

/** Signed by a service wallet that its owner derived alone, with both addresses filled in: that it is there and whose it is. */
export const linkText = (deployment: string) =>
  `Roundup service wallet v1 link (${deployment}): {publicKey} is the Roundup service wallet of {owner}. This signature proves that its key is at hand. It moves no money and costs nothing.`;

/** The link text with both addresses (base58) filled in: what a service wallet signs. */
export function fillLink(link: string, owner: string, publicKey: string): string {
  return link.replace("{owner}", owner).replace("{publicKey}", publicKey);
}
