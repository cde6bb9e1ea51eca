import type { DataOf } from "../contracts/define";
import { createAuthMessage, type getAuthMessageContract } from "../contracts/get-auth-message";
import type { Deps } from "../ports/deps";

/** Returns the text that a wallet signs to authenticate, and the headers that carry the signature. */
export async function getAuthMessage({ deployment }: Deps): Promise<DataOf<typeof getAuthMessageContract>> {
  return createAuthMessage(deployment);
}
