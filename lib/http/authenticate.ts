import { timingSafeEqual } from "node:crypto";
import type { AuthRule } from "../contracts/define";
import { hashApiKey, readApiKeyId } from "../domain/api-key";
import { type KeyRecord, toKeyUnlessBlocked } from "../domain/api-key-store";
import { MAX_SIGN_IN_LENGTH, readSignInMessage } from "../domain/sign-in-message";
import { verifyNonce } from "../domain/sign-in-nonce";
import { createAuthText } from "../domain/signed-texts";
import type { KnownStaticKey } from "../domain/static-keys";
import { STORE_KEYS } from "../domain/store-keys";
import { AppError } from "../errors";
import type { Deps } from "../ports/deps";
import type { Caller } from "../ports/request-context";
import { fromBase64 } from "../solana/bytes";
import { OFFCHAIN_FORMS, type OffchainForm } from "../solana/offchain-message";
import type { RequestHeaders } from "./message";

const PUBLIC_CALLER: Caller = { kind: "public", wallet: null };

export type Authenticator = ReturnType<typeof createAuthenticator>;

export function createAuthenticator(deps: Deps) {
  const recordKeyUse = createKeyUseRecorder(deps);
  /**
   * Returns the caller. Every credential that is sent must be valid, even when another one would be enough.
   * @param staticKey the static key in x-api-key, if the client may use it
   * @throws AppError credentials_missing, credentials_invalid
   */
  const authenticate = async (headers: RequestHeaders, rule: AuthRule, staticKey: KnownStaticKey | null = null) => {
    const caller = await identifyCaller(deps, staticKey, headers, rule);
    if (caller.kind === "api-key") recordKeyUse(caller.keyId);
    return caller;
  };
  return {
    authenticate,
    /** Returns whether the request has credentials and all of them are valid. Throws no AppError. */
    hasValidCredentials: (headers: RequestHeaders, staticKey: KnownStaticKey | null): boolean | Promise<boolean> =>
      (headers.get("x-signature") !== null || headers.get("x-api-key") !== null) &&
      authenticate(headers, "caller", staticKey).then(() => true, returnFalseForAppError),
  };
}

function returnFalseForAppError(error: unknown): false {
  if (error instanceof AppError) return false;
  throw error;
}

async function identifyCaller(
  deps: Deps,
  staticKey: KnownStaticKey | null,
  headers: RequestHeaders,
  rule: AuthRule,
): Promise<Caller> {
  if (rule === "none") return PUBLIC_CALLER;
  const wallet = headers.get("x-wallet");
  const signature = headers.get("x-signature");
  const apiKey = headers.get("x-api-key");
  const message = headers.get("x-siws-message");
  const form = headers.get("x-signature-form");
  const signingCaller =
    message !== null
      ? await verifySignInCaller(deps, wallet, signature, message, form)
      : signature === null
        ? null
        : verifyWalletCaller(deps, wallet, signature, form);
  const keyCaller = apiKey === null ? null : await verifyKeyCaller(deps, staticKey, apiKey);
  if (signingCaller) return signingCaller;
  if (rule === "caller" && keyCaller) return keyCaller;
  // The service of a `signer` operation checks the signature in the body.
  if (rule === "signer" || rule === "optional") return keyCaller ?? PUBLIC_CALLER;
  throw keyCaller
    ? new AppError("credentials_missing", {
        message: "This needs a wallet signature (x-wallet and x-signature); an API key is not enough.",
      })
    : new AppError("credentials_missing");
}

const WRONG_FORM_TEXT =
  "The header x-signature-form is offchain-0 or offchain-1, and only together with the signature of the text of GET /api/auth.";

function verifyWalletCaller(
  { verifier, deployment }: Deps,
  wallet: string | null,
  signature: string,
  form: string | null,
): Caller {
  if (form !== null && !isOffchainForm(form)) throw new AppError("credentials_invalid", { message: WRONG_FORM_TEXT });
  if (wallet === null || !verifier.verifyText(wallet, createAuthText(deployment), signature, form ?? "plain"))
    throw new AppError("credentials_invalid");
  return { kind: "wallet", wallet };
}

const isOffchainForm = (form: string): form is OffchainForm => (OFFCHAIN_FORMS as readonly string[]).includes(form);

/** Verifies a Sign In With Solana message: it names this deployment, has a nonce of the last 24 h and is signed by the wallet. */
async function verifySignInCaller(
  { verifier, deployment, clock, readSignInSecret }: Deps,
  wallet: string | null,
  signature: string | null,
  messageBase64: string,
  form: string | null,
): Promise<Caller> {
  if (form !== null) throw new AppError("credentials_invalid", { message: WRONG_FORM_TEXT });
  const text = decodeText(messageBase64);
  const message = wallet === null || text === null ? null : readSignInMessage(text, wallet, deployment);
  const now = clock.now();
  const isValidNow = message && now >= (message.notBefore ?? now) && now < (message.expiresAt ?? Infinity);
  const signedInAt = isValidNow ? verifyNonce(await readSignInSecret(), message.nonce, now) : null;
  if (signedInAt === null || !signature || !verifier.verifyText(wallet!, text!, signature))
    throw new AppError("credentials_invalid");
  return { kind: "wallet", wallet: wallet!, signedInAt };
}

/** Decodes base64 of UTF-8. Returns null if it is not canonical. */
function decodeText(base64: string): string | null {
  const bytes = base64.length > 2 * MAX_SIGN_IN_LENGTH ? null : fromBase64(base64);
  try {
    return bytes && new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

async function verifyKeyCaller(deps: Deps, staticKey: KnownStaticKey | null, apiKey: string): Promise<Caller> {
  if (staticKey) {
    const { id: keyId, name } = staticKey;
    return { kind: "static-key", wallet: null, keyId, ...(name !== null && { name }) };
  }

  const id = readApiKeyId(apiKey, deps.network === "mainnet-beta" ? "live" : "test");
  const keyRecord = id === null ? null : toKeyUnlessBlocked(await deps.kv.get<KeyRecord>(STORE_KEYS.apiKey.toKey(id)));
  const isMatch =
    keyRecord !== null && timingSafeEqual(Buffer.from(keyRecord.digest, "hex"), Buffer.from(hashApiKey(apiKey), "hex"));
  if (!isMatch || keyRecord.expiresAt <= deps.clock.now()) throw new AppError("credentials_invalid");
  return { kind: "api-key", wallet: keyRecord.wallet, keyId: keyRecord.id };
}

const { ttlMs: HOUR_MS } = STORE_KEYS.keyUsedRecently;

const MAX_REMEMBERED_KEYS = 10_000;

/** Stores when a key is used, at most once per hour across all processes. The request does not wait for the store. */
function createKeyUseRecorder({ kv, clock }: Deps): (keyId: string) => void {
  const lastUseByKey = new Map<string, number>();
  return (keyId) => {
    const now = clock.now();
    if (now - (lastUseByKey.get(keyId) ?? Number.NEGATIVE_INFINITY) < HOUR_MS) return;
    if (lastUseByKey.size >= MAX_REMEMBERED_KEYS) lastUseByKey.clear();
    lastUseByKey.set(keyId, now);
    kv.setIfAbsent(STORE_KEYS.keyUsedRecently.toKey(keyId), true, HOUR_MS)
      .then((isFirstThisHour) =>
        isFirstThisHour ? kv.set(STORE_KEYS.keyLastUsed.toKey(keyId), now, STORE_KEYS.keyLastUsed.ttlMs) : undefined,
      )
      // Only the list of keys shows the last use. Calls that need the store report its failure.
      .catch(() => lastUseByKey.delete(keyId));
  };
}
