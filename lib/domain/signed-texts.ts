export type { SignatureForm } from "../solana/offchain-message";

/**
 * Texts that wallets sign. Each is one line of printable ASCII that names its deployment. Changing a single byte logs
 * out every user or makes their service wallets unreachable.
 */

/** Replaces the origin in the sandbox's texts. It is the same in every sandbox. */
export const SANDBOX_DEPLOYMENT = "sandbox, play money";

/** The network that a deployment serves. `mainnet-beta` is Solana's own name for its main network. */
export type NamedNetwork = "sandbox" | "mainnet-beta";

/** Returns a deployment's network. Every name except the exact sandbox name counts as mainnet. */
export const toNetwork = (deployment: string): NamedNetwork =>
  deployment === SANDBOX_DEPLOYMENT ? "sandbox" : "mainnet-beta";

/**
 * Returns the text signed to authenticate. The signature travels in request headers.
 * @param deployment an origin, or SANDBOX_DEPLOYMENT
 */
export const createAuthText = (deployment: string) =>
  `Roundup sign-in (${deployment}): this signature proves to Roundup that you own this wallet. It moves no money and costs nothing.`;

/** Returns the text signed to derive the service wallet. The signature is key material: never a credential. */
export const createServiceWalletText = (deployment: string) =>
  `Roundup service wallet v1 (${deployment}): this signature is the key to your Roundup service wallet. Sign it only inside an app you trust with that wallet, and never share it.`;

/** Returns the template a service wallet signs to prove that its key exists and who owns it. */
export const createLinkText = (deployment: string) =>
  `Roundup service wallet v1 link (${deployment}): {publicKey} is the Roundup service wallet of {owner}. This signature proves that its key is at hand. It moves no money and costs nothing.`;

/** Fills both addresses (base58) into the link template. The service wallet signs the result. */
export function fillLink(link: string, owner: string, publicKey: string): string {
  return link.replace("{owner}", owner).replace("{publicKey}", publicKey);
}
