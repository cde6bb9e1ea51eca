import bs58 from "bs58";
import { createSignInFields } from "../../domain/sign-in-fields";
import { createAuthText } from "../../domain/signed-texts";
import { toBase64 } from "../../solana/bytes";
import { isOffchainMessage } from "../../solana/offchain-message";
import type { Calls, SignInCredentials } from "../calls/calls";
import { WrongAccountError, WrongTextSignedError } from "../errors";
import { isValidSignature, signText, type TextKind, type TextSigner, verifyTextDeployment } from "./texts";

/* This folder holds keys, derivation and signatures. Code that decides whether to sign belongs in verify/ or flow/. */

const SIGN_IN_KIND: TextKind = { prefix: "Roundup sign-in (", createText: createAuthText };

/**
 * Signs in. The signature is a credential: keep it no longer than the session.
 * @param deployment the only deployment to sign for; default: the deployment that the service names
 * @throws {ApiError | AnotherTextError | WrongAccountError | WrongTextSignedError}
 */
export async function signIn(calls: Calls, wallet: TextSigner, deployment?: string): Promise<SignInCredentials> {
  const { message } = await calls.get("/api/auth");
  verifyTextDeployment(message, SIGN_IN_KIND, deployment);
  const { signature, form } = await signText(wallet, message);
  const credentials = { "x-wallet": wallet.address, "x-signature": toBase64(signature) };
  return form === "plain" ? credentials : { ...credentials, "x-signature-form": form };
}

/** The part of the Wallet Standard feature `solana:signIn` that the SDK needs. */
export interface SignInWallet {
  signIn(fields: ReturnType<typeof createSignInFields>): Promise<{
    account: { publicKey: ArrayLike<number> };
    signedMessage: Uint8Array;
    signature: Uint8Array;
  }>;
}

/**
 * Returns a function that connects the wallet and signs in with one approval. The requests come first, so that a service
 * that does not answer costs no approval. `expiresAt` is ISO 8601.
 * @param origin the page's origin, which the wallet compares with the message
 * @throws {ApiError | AnotherTextError} and, from the function, WrongAccountError, WrongTextSignedError and the wallet's own errors
 */
export async function prepareSignIn(calls: Calls, origin: string) {
  const [{ message }, { nonce, expiresAt }] = await Promise.all([calls.get("/api/auth"), calls.get("/api/auth/nonce")]);
  const fields = createSignInFields(verifyTextDeployment(message, SIGN_IN_KIND), origin, nonce);
  return async (wallet: SignInWallet) => {
    const { account, signedMessage, signature } = await wallet.signIn(fields);
    const publicKey = Uint8Array.from(account.publicKey);
    if (isOffchainMessage(signedMessage)) throw new WrongTextSignedError();
    if (!isValidSignature(signedMessage, signature, publicKey)) throw new WrongAccountError();
    const credentials: SignInCredentials = {
      "x-wallet": bs58.encode(publicKey),
      "x-siws-message": toBase64(signedMessage),
      "x-signature": toBase64(signature),
    };
    return { credentials, expiresAt };
  };
}
