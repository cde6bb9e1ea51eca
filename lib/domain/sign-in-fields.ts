import { createAuthText, toNetwork } from "./signed-texts";

/** Chain names that wallets write for each network. */
export const CHAIN_NAMES = {
  "mainnet-beta": ["solana:mainnet", "mainnet"],
  sandbox: ["solana:localnet", "localnet"],
} as const;

/**
 * Returns the fields of a Sign In With Solana message that a client passes to the wallet. The wallet adds its address.
 * @param origin the page's origin @param nonce from GET /api/auth/nonce
 */
export function createSignInFields(deployment: string, origin: string, nonce: string) {
  return {
    domain: new URL(origin).host,
    uri: origin,
    version: "1",
    statement: createAuthText(deployment),
    chainId: CHAIN_NAMES[toNetwork(deployment)][0],
    nonce,
  };
}
