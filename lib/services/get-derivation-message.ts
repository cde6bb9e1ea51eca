import type { DataOf } from "../contracts/define";
import type { getDerivationMessageContract } from "../contracts/get-derivation-message";
import { SERVICE_WALLET_KDF } from "../domain/service-wallet";
import { SERVICE_WALLET_LINK, SERVICE_WALLET_MESSAGE } from "../domain/texts";

export async function getDerivationMessage(): Promise<DataOf<typeof getDerivationMessageContract>> {
  return { message: SERVICE_WALLET_MESSAGE, link: SERVICE_WALLET_LINK, kdf: SERVICE_WALLET_KDF };
}
