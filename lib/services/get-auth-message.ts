import type { DataOf } from "../contracts/define";
import type { getAuthMessageContract } from "../contracts/get-auth-message";
import { AUTH_MESSAGE } from "../domain/texts";

export async function getAuthMessage(): Promise<DataOf<typeof getAuthMessageContract>> {
  return {
    message: AUTH_MESSAGE,
    instructions:
      "Sign the UTF-8 bytes of `message` with your wallet (Ed25519). Send these two headers with every protected request.",
    headers: { "x-wallet": "<wallet public key, base58>", "x-signature": "<signature, base64>" },
  };
}
