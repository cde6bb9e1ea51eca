import type { getAuthMessageContract } from "../../contracts/get-auth-message";
import { toBase64 } from "../../solana/bytes";
import type { Calls } from "../calls/calls";
import { signText, type TextSigner } from "./texts";

const SIGN_IN_KIND = "Roundup sign-in (";

/** Proves to the service whose calls these are. The signature is a credential: keep it no longer than the session. @throws {ApiError | WrongAccountError} */
export async function signIn(calls: Calls, wallet: TextSigner): Promise<{ "x-wallet": string; "x-signature": string }> {
  const { message } = await calls.get<typeof getAuthMessageContract>("/api/auth");
  const signature = await signText(wallet, message, SIGN_IN_KIND);
  return { "x-wallet": wallet.address, "x-signature": toBase64(signature) };
}
