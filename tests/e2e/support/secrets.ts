import bs58 from "bs58";
import nacl from "tweetnacl";
import { deriveServiceWalletSeed } from "../../../lib/domain/service-wallet";
import { encodeUtf8, fromBase64 } from "../../../lib/solana/bytes";
import type { SignatureForm } from "../../../lib/solana/offchain-message";
import { encodeSecret } from "../../support/fixtures/secret-search";
import { SERVICE_WALLET_TEXT } from "../../support/fixtures/wallet-texts";

/** Secrets that must never leave the page: derivation signatures and the keys derived from them. */
const knownSecrets = new Map<string, string>();

function recordSecret(name: string, bytes: Uint8Array): void {
  for (const form of encodeSecret(bytes)) knownSecrets.set(form, name);
}

/** Records a derivation signature and its key in every usual encoding. */
export function recordDerivation(signature: Uint8Array, owner: string, form: SignatureForm = "plain"): void {
  recordSecret("derivation signature", signature);
  const seed = deriveServiceWalletSeed(signature, owner, 0, form);
  const { secretKey } = nacl.sign.keyPair.fromSeed(seed);
  recordSecret("service key", seed);
  recordSecret("service key", secretKey);
  knownSecrets.set(JSON.stringify([...secretKey]), "service key");
}

export function recordOwner({ publicKey, secretKey }: nacl.SignKeyPair): void {
  recordDerivation(nacl.sign.detached(encodeUtf8(SERVICE_WALLET_TEXT), secretKey), bs58.encode(publicKey));
}

/** Records the secrets of the demo wallet from its stored seed. Does nothing without a seed. */
export function recordDemoWallet(seedBase64: string | null): void {
  const seed = fromBase64(seedBase64 ?? "");
  if (seed?.length === 32) recordOwner(nacl.sign.keyPair.fromSeed(seed));
}

export function findSecrets(request: string): string[] {
  const texts = [request, request.replace(/%[0-9a-f]{2}/gi, (code) => decodeURIComponent(code))];
  const found = [...knownSecrets].filter(([form]) => texts.some((text) => text.includes(form)));
  return [...new Set(found.map(([, name]) => name))];
}
