import type { DataOf } from "../contracts/define";
import type { getDerivationMessageContract } from "../contracts/get-derivation-message";
import { SERVICE_WALLET_KDF } from "../domain/service-wallet";
import { createLinkText, createServiceWalletText } from "../domain/signed-texts";
import type { Deps } from "../ports/deps";

export async function getDerivationMessage({ deployment }: Deps): Promise<DataOf<typeof getDerivationMessageContract>> {
  return { message: createServiceWalletText(deployment), link: createLinkText(deployment), kdf: SERVICE_WALLET_KDF };
}
