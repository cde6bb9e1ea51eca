import { createAuthText } from "../../domain/texts";
import { toBase64 } from "../../solana/bytes";
import type { Calls } from "../calls/calls";
import { readDeployment, signText, type TextKind, type TextSigner } from "./texts";

/** The sign-in text. */
export const SIGN_IN: TextKind = { begins: "Roundup sign-in (", createText: createAuthText };

/**
 * Signs in and returns the credential headers. The signature is a credential: keep it no longer than the session.
 * This folder holds keys, derivation and signatures. Code that decides whether to sign belongs in verify/ or flow/.
 * @param deployment the only deployment to sign for; default: the deployment that the service names
 * @throws {ApiError | AnotherTextError | WrongAccountError}
 */
export async function signIn(
  calls: Calls,
  wallet: TextSigner,
  deployment?: string,
): Promise<{ "x-wallet": string; "x-signature": string }> {
  const { message } = await calls.get("/api/auth");
  readDeployment(message, SIGN_IN, deployment);
  const signature = await signText(wallet, message);
  return { "x-wallet": wallet.address, "x-signature": toBase64(signature) };
}
