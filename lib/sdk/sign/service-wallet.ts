import bs58 from "bs58";
import nacl from "tweetnacl";
import { deriveServiceWalletSeed } from "../../domain/service-wallet";
import {
  createLinkText,
  createServiceWalletText,
  fillLink,
  type NamedNetwork,
  toNetwork,
} from "../../domain/signed-texts";
import { encodeUtf8, toBase64 } from "../../solana/bytes";
import type { Calls } from "../calls/calls";
import { NotDeterministicError } from "../errors";
import type { KeyPair } from "./key-pair";
import { signText, type TextKind, type TextSigner, verifyTextDeployment } from "./texts";

const DERIVATION_KIND: TextKind = { prefix: "Roundup service wallet v1 (", createText: createServiceWalletText };
const LINK_KIND: TextKind = { prefix: "Roundup service wallet v1 link (", createText: createLinkText };

/** A service wallet's key pair. `network` comes from the signed derivation text, not from the server. */
interface ServiceKeys {
  keys: KeyPair;
  network: NamedNetwork;
}

const readTexts = (calls: Calls) => calls.get("/api/wallet/derive");

/**
 * Derives the owner's service wallet and registers its public key. The wallet signs the text twice: if the signatures
 * differ, the key could not be derived again and its funds would be lost. Signatures and key stay in this process.
 * @param deployment the only deployment to sign for; default: the deployment that the service names
 * @param onProgress called before each of the two signatures
 * @throws {ApiError | AnotherTextError | WrongAccountError | WrongTextSignedError | NotDeterministicError}
 */
export async function createServiceWallet(
  calls: Calls,
  owner: TextSigner,
  { deployment, onProgress = () => {} }: { deployment?: string; onProgress?: (signatureNumber: 1 | 2) => void } = {},
): Promise<ServiceKeys> {
  const { message, link } = await readTexts(calls);
  const namedDeployment = verifyTextDeployment(message, DERIVATION_KIND, deployment);
  verifyTextDeployment(link, LINK_KIND, namedDeployment);
  onProgress(1);
  const firstSignature = await signText(owner, message);
  const seed = deriveServiceWalletSeed(firstSignature, owner.address, 0);
  try {
    onProgress(2);
    const secondSignature = await signText(owner, message);
    const isSameSignature = secondSignature.every((byte, i) => byte === firstSignature[i]);
    secondSignature.fill(0);
    if (!isSameSignature) throw new NotDeterministicError();
    const keys = nacl.sign.keyPair.fromSeed(seed);
    await calls.post("/api/wallet/derive", createLinkProof(link, owner.address, keys));
    return { keys, network: toNetwork(namedDeployment) };
  } finally {
    firstSignature.fill(0);
    seed.fill(0);
  }
}

/**
 * Derives the key of an existing service wallet, with one signature.
 * @throws {ApiError | AnotherTextError | WrongAccountError | WrongTextSignedError}
 * @throws {NotDeterministicError} when the derived key does not belong to `serviceWallet`
 */
export async function openServiceWallet(calls: Calls, owner: TextSigner, serviceWallet: string): Promise<KeyPair> {
  const { message } = await readTexts(calls);
  verifyTextDeployment(message, DERIVATION_KIND);
  const signature = await signText(owner, message);
  const seed = deriveServiceWalletSeed(signature, owner.address, 0);
  const keys = nacl.sign.keyPair.fromSeed(seed);
  signature.fill(0);
  seed.fill(0);
  if (bs58.encode(keys.publicKey) === serviceWallet) return keys;
  keys.secretKey.fill(0);
  throw new NotDeterministicError();
}

/**
 * Builds the body of POST /api/wallet/derive. The service key signs a text that links it to the owner, which proves
 * that the caller holds the key.
 * @param link the link text of GET /api/wallet/derive
 * @throws {AnotherTextError}
 */
export function createLinkProof(link: string, owner: string, keys: KeyPair): { publicKey: string; proof: string } {
  verifyTextDeployment(link, LINK_KIND);
  const publicKey = bs58.encode(keys.publicKey);
  const proof = nacl.sign.detached(encodeUtf8(fillLink(link, owner, publicKey)), keys.secretKey);
  return { publicKey, proof: toBase64(proof) };
}
