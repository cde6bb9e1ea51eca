import type { DataOf } from "../contracts/define";
import { createAuthMessage, type getAuthMessageContract } from "../contracts/get-auth-message";
import type { Deps } from "../ports/deps";

export async function getAuthMessage({ deployment }: Deps): Promise<DataOf<typeof getAuthMessageContract>> {
  return createAuthMessage(deployment);
}
