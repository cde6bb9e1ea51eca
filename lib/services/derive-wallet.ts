import type { DataOf, InputOf } from "../contracts/define";
import type { deriveWalletContract } from "../contracts/derive-wallet";
import { deriveServiceWalletPublicKey } from "../domain/service-wallet";
import { createAuthText, createLinkText, createServiceWalletText, fillLink } from "../domain/signed-texts";
import { AppError, createFieldError } from "../errors";
import type { Deps } from "../ports/deps";
import type { RequestContext } from "../ports/request-context";
import { fromBase64 } from "../solana/bytes";
import { findWalletAddressFault } from "../solana/ed25519";
import { SIGNATURE_FORMS, type SignatureForm } from "../solana/offchain-message";
import { recordServiceWallet } from "./records/service-wallets";

const SIGN_IN_SIGNATURE_TEXT =
  "That is the sign-in signature. It travels in headers, so it can never be a key: sign the text that GET /api/wallet/derive returns.";

const toOtherFormText = (form: SignatureForm) =>
  form === "plain"
    ? "The signature is over the plain text: leave out `form`."
    : `The signature is over an off-chain message: send \`form\`: "${form}".`;

/** Returns a service wallet of the caller, derived from a signature or linked by a proof, and registers it. */
export async function deriveWallet(
  deps: Deps,
  input: InputOf<typeof deriveWalletContract>,
  context: RequestContext,
): Promise<DataOf<typeof deriveWalletContract>> {
  const { signature, form = "plain", publicKey: namedPublicKey, proof } = input;
  const index = input.index ?? 0;
  const wallet =
    signature === undefined ? resolveLinkOwner(input.wallet, context) : resolveOwner(input.wallet, context);
  const publicKey =
    signature === undefined
      ? verifyProof(deps, wallet, namedPublicKey!, proof!)
      : deriveVerifiedKey(deps, wallet, signature, form, index);
  const isOwnerProven = signature !== undefined || context.caller.wallet !== null;
  await recordServiceWallet(deps, publicKey, isOwnerProven ? wallet : null);
  const answer = { publicKey, wallet, index, message: createServiceWalletText(deps.deployment) };
  return isOwnerProven ? answer : { ...answer, ownerProven: false };
}

/**
 * Verifies the proof that the caller holds the key of a wallet, and returns the wallet's public key.
 * @throws AppError wallets_equal, wallet_not_allowed, wrong_text_signed
 */
function verifyProof(deps: Deps, owner: string, publicKey: string, proof: string): string {
  if (publicKey === owner) throw new AppError("wallets_equal");
  if (deps.feeCollectors.includes(publicKey)) throw new AppError("wallet_not_allowed");
  const text = fillLink(createLinkText(deps.deployment), owner, publicKey);
  if (deps.verifier.verifyText(publicKey, text, proof)) return publicKey;
  throw new AppError("wrong_text_signed", {
    message:
      "`proof` is not the signature of `publicKey` over `link`, which GET /api/wallet/derive returns, filled in with the owner's wallet as {owner}.",
  });
}

/** Derives the public key from the owner's signature and erases the signature. @throws AppError wrong_text_signed */
function deriveVerifiedKey(
  { verifier, deployment }: Deps,
  owner: string,
  signatureBase64: string,
  form: SignatureForm,
  index: number,
): string {
  const hasSigned = (text: string, signedForm: SignatureForm) =>
    verifier.verifyText(owner, text, signatureBase64, signedForm);
  const text = createServiceWalletText(deployment);
  if (!hasSigned(text, form)) {
    const signedForm = SIGNATURE_FORMS.find((candidate) => hasSigned(text, candidate));
    const isSignIn = SIGNATURE_FORMS.some((candidate) => hasSigned(createAuthText(deployment), candidate));
    throw new AppError("wrong_text_signed", {
      message: signedForm ? toOtherFormText(signedForm) : isSignIn ? SIGN_IN_SIGNATURE_TEXT : undefined,
    });
  }
  const signature = fromBase64(signatureBase64)!;
  try {
    return deriveServiceWalletPublicKey(signature, owner, index, form);
  } finally {
    signature.fill(0);
  }
}

/**
 * Returns the owner of a wallet that is linked by a proof: the caller, or the wallet that a static key names.
 * @throws AppError wallet_required, invalid_request
 */
function resolveLinkOwner(namedWallet: string | undefined, { caller }: RequestContext): string {
  if (caller.wallet === null) {
    if (namedWallet !== undefined) return namedWallet;
    throw new AppError("wallet_required", {
      message: "A static key belongs to no wallet: name the owner as `wallet`.",
    });
  }
  if (namedWallet === undefined) return caller.wallet;
  throw createFieldError(
    "wallet",
    "is allowed only together with signature, or with a static key: the caller is the owner of a proof",
  );
}

/** Returns the wallet that the request names, or the caller's. @throws AppError wallet_required, invalid_address */
function resolveOwner(namedWallet: string | undefined, { caller, walletHeader }: RequestContext): string {
  if (namedWallet !== undefined) return namedWallet;
  if (caller.kind === "wallet") return caller.wallet;
  if (walletHeader !== null) {
    if (findWalletAddressFault(walletHeader))
      throw new AppError("invalid_address", { message: "The x-wallet header is not a wallet address." });
    return walletHeader;
  }
  if (caller.wallet === null) throw new AppError("wallet_required");
  return caller.wallet;
}
