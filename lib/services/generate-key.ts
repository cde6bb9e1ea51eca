import type { DataOf, InputOf } from "../contracts/define";
import type { generateKeyContract } from "../contracts/generate-key";
import { DEFAULT_KEY_DAYS, formatApiKey, hashApiKey } from "../domain/api-key";
import { type StoredKey, toVisibleFields } from "../domain/api-key-store";
import { KEY_CREATION_WINDOW_MS } from "../domain/sign-in-nonce";
import { createAuthText } from "../domain/signed-texts";
import { DAY_MS } from "../domain/time";
import { AppError, createUpstreamError } from "../errors";
import type { Deps } from "../ports/deps";
import type { RequestContext } from "../ports/request-context";
import { blockKeyRecord, freeKeyPlace, takeKeyPlace, writeKeyRecord } from "./records/key-places";

const SIGN_IN_TOO_OLD_TEXT = "This sign-in is more than ten minutes old. Sign in again to create an API key.";

type Input = InputOf<typeof generateKeyContract>;

/** Creates an API key for the signing wallet. The key itself is returned only here. */
export async function generateKey(
  deps: Deps,
  input: Input,
  context: RequestContext,
): Promise<DataOf<typeof generateKeyContract>> {
  const wallet = verifySigner(deps, input, context);
  const { id, apiKey } = formatApiKey(
    deps.network === "mainnet-beta" ? "live" : "test",
    deps.random.bytes(8),
    deps.random.bytes(32),
  );
  const createdAt = deps.clock.now();
  const lifetimeMs = (input.expiresInDays ?? DEFAULT_KEY_DAYS) * DAY_MS;
  const place = await takeKeyPlace(deps, wallet, id, lifetimeMs);
  const key: StoredKey = {
    id,
    digest: hashApiKey(apiKey),
    wallet,
    name: input.name ?? null,
    createdAt,
    expiresAt: createdAt + lifetimeMs,
    place,
  };
  const isWritten = await writeKeyRecord(deps, key, lifetimeMs).catch(async (error) => {
    // The store may have written the record although its call failed. The caller never receives this key, so the key
    // must not occupy a place.
    await blockKeyRecord(deps, key.id)
      .then(() => freeKeyPlace(deps, key))
      .catch(() => {});
    throw error;
  });
  if (!isWritten) throw createUpstreamError("upstream_timeout", "store", "timeout");
  return {
    apiKey,
    ...toVisibleFields(key),
    usage: "Send the key in the header x-api-key. The key is shown only once.",
  };
}

function verifySigner(deps: Deps, { wallet, signature, form }: Input, { caller }: RequestContext): string {
  if (wallet === undefined && signature === undefined) {
    if (caller.kind === "wallet") {
      if (deps.clock.now() < (caller.signedInAt ?? Infinity) + KEY_CREATION_WINDOW_MS) return caller.wallet;
      throw new AppError("credentials_invalid", { message: SIGN_IN_TOO_OLD_TEXT });
    }
    throw new AppError("credentials_missing", {
      message:
        "Send `wallet` and `signature` of the sign-in text, in the body or as x-wallet and x-signature; an API key cannot make keys.",
    });
  }
  const claimedWallet = wallet ?? caller.wallet;
  if (!claimedWallet || !signature) {
    throw new AppError("credentials_missing", { message: "`wallet` and `signature` go together in the body." });
  }
  if (!deps.verifier.verifyText(claimedWallet, createAuthText(deps.deployment), signature, form))
    throw new AppError("credentials_invalid");
  return claimedWallet;
}
