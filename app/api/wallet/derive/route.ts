import { deriveWalletContract } from "@/lib/contracts/derive-wallet";
import { getDerivationMessageContract } from "@/lib/contracts/get-derivation-message";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { deriveWallet } from "@/lib/services/derive-wallet";
import { getDerivationMessage } from "@/lib/services/get-derivation-message";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(
  bindRoute(getDerivationMessage, getDerivationMessageContract),
  bindRoute(deriveWallet, deriveWalletContract),
);
