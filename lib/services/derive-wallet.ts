import type { DataOf, InputOf } from "../contracts/define";
import type { deriveWalletContract } from "../contracts/derive-wallet";
import { serviceWalletPublicKey } from "../domain/service-wallet";
import { AUTH_MESSAGE, SERVICE_WALLET_MESSAGE } from "../domain/texts";
import { AppError } from "../errors";
import type { Deps, RequestContext } from "../ports";
import { fromBase64 } from "../solana/bytes";
import { walletAddressFault } from "../solana/ed25519";
import { rememberServiceWallet } from "./steps/service-wallets";

export async function deriveWallet(
  deps: Deps,
  input: InputOf<typeof deriveWalletContract>,
  context: RequestContext,
): Promise<DataOf<typeof deriveWalletContract>> {
  const wallet = ownerOf(input.wallet, context);
  const index = input.index ?? 0;
  if (!deps.verifier.verifyText(wallet, SERVICE_WALLET_MESSAGE, input.signature)) {
    throw new AppError("wrong_text_signed", { message: explain(deps, wallet, input.signature) });
  }
  const signature = fromBase64(input.signature)!;
  try {
    const publicKey = serviceWalletPublicKey(signature, wallet, index);
    await rememberServiceWallet(deps, publicKey);
    return { publicKey, wallet, index, message: SERVICE_WALLET_MESSAGE };
  } finally {
    signature.fill(0);
  }
}

/** @throws AppError wallet_required, invalid_address */
function ownerOf(named: string | undefined, { caller, walletHeader }: RequestContext): string {
  if (named !== undefined) return named;
  if (caller.kind === "wallet") return caller.wallet;
  if (walletHeader !== null) {
    if (walletAddressFault(walletHeader))
      throw new AppError("invalid_address", { message: "The x-wallet header is not a wallet address." });
    return walletHeader;
  }
  if (caller.wallet === null) throw new AppError("wallet_required");
  return caller.wallet;
}

/** Undefined leaves the general sentence. */
function explain({ verifier }: Deps, wallet: string, signature: string): string | undefined {
  return verifier.verifyText(wallet, AUTH_MESSAGE, signature)
    ? "That is the sign-in signature. It travels in headers, so it can never be a key: sign the text that GET /api/wallet/derive returns."
    : undefined;
}
