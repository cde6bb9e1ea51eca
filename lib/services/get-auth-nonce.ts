import type { DataOf } from "../contracts/define";
import type { getAuthNonceContract } from "../contracts/get-auth-nonce";
import { makeNonce, SIGN_IN_LIFETIME_MS } from "../domain/sign-in-nonce";
import type { Deps } from "../ports/deps";

/** Makes a nonce for Sign In With Solana. Stores nothing for it. */
export async function getAuthNonce({ clock, readSignInSecret }: Deps): Promise<DataOf<typeof getAuthNonceContract>> {
  const now = clock.now();
  return {
    nonce: makeNonce(await readSignInSecret(), now),
    expiresAt: new Date(now + SIGN_IN_LIFETIME_MS).toISOString(),
  };
}
