import type { DataOf } from "../contracts/define";
import type { getAuthMessageContract } from "../contracts/get-auth-message";
import { createAuthText } from "../domain/texts";
import type { Deps } from "../ports/deps";

/** Returns the text that a wallet signs to authenticate, and the headers that carry the signature. */
export async function getAuthMessage({ deployment }: Deps): Promise<DataOf<typeof getAuthMessageContract>> {
  return {
    message: createAuthText(deployment),
    instructions:
      "Sign the UTF-8 bytes of `message` with your wallet (Ed25519). Send these two headers with every protected request.",
    headers: { "x-wallet": "<wallet public key, base58>", "x-signature": "<signature, base64>" },
  };
}
