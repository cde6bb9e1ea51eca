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
import type { OffchainForm } from "../../solana/offchain-message";
import type { Calls } from "../calls/calls";
import { NotDeterministicError, OtherServiceWalletError, RecoveryNotSavedError } from "../errors";
import type { KeyPair } from "./key-pair";
import { signText, type TextKind, type TextSigner, verifyTextDeployment } from "./texts";

const DERIVATION_KIND: TextKind = { prefix: "Roundup service wallet v1 (", createText: createServiceWalletText };
const LINK_KIND: TextKind = { prefix: "Roundup service wallet v1 link (", createText: createLinkText };

/** What `recover` needs to open a service wallet, whatever its owner's wallet signs later. */
export interface Recovery {
  serviceWallet: string;
  /** The off-chain message that the wallet signs for the text. */
  form: OffchainForm;
  /**
   * The owner's signature, base64: the content of the file for `recover --signature`. It gives full control of the
   * service wallet.
   */
  signature: string;
}

export interface CreationOptions {
  /** The only deployment to sign for. Default: the deployment that the service names. */
  deployment?: string;
  /** Called before each of the two signatures. */
  onProgress?: (signatureNumber: 1 | 2) => void;
  /**
   * Saves the recovery of a service wallet that comes from an off-chain message, and resolves once it is saved: only then
   * is the service wallet registered. Called each time the key is derived.
   */
  saveRecovery?: (recovery: Recovery) => Promise<void>;
  /**
   * Decides whether a new service wallet is created although the owner has saved into these. Default: a signature over
   * an off-chain message never does so, and a plain one does without asking the service.
   */
  acceptNew?: (existing: string[]) => Promise<boolean>;
}

/**
 * Derives the owner's service wallet and registers its public key. The wallet signs the text twice: if the signatures
 * differ, the key could not be derived again and its funds would be lost. Signatures and key stay in this process.
 * `network` comes from the signed text, not from the server.
 * @throws {ApiError | AnotherTextError | WrongAccountError | WrongTextSignedError | NotDeterministicError}
 * @throws {RecoveryNotSavedError} when the wallet signs off-chain messages and `saveRecovery` is missing
 * @throws {OtherServiceWalletError} when the owner has saved into others, and `acceptNew` does not accept a new one
 */
export async function createServiceWallet(
  calls: Calls,
  owner: TextSigner,
  { deployment, onProgress = () => {}, saveRecovery, acceptNew }: CreationOptions = {},
): Promise<{ keys: KeyPair; network: NamedNetwork }> {
  const { message, link } = await calls.get("/api/wallet/derive");
  const namedDeployment = verifyTextDeployment(message, DERIVATION_KIND, deployment);
  verifyTextDeployment(link, LINK_KIND, namedDeployment);
  onProgress(1);
  const { signature, form } = await signText(owner, message);
  const seed = deriveServiceWalletSeed(signature, owner.address, 0, form);
  try {
    if (form !== "plain" && !saveRecovery) throw new RecoveryNotSavedError();
    const keys = nacl.sign.keyPair.fromSeed(seed);
    const serviceWallet = bs58.encode(keys.publicKey);
    if (form !== "plain" || acceptNew) await refuseNew(calls, serviceWallet, acceptNew);
    onProgress(2);
    const { signature: secondSignature } = await signText(owner, message);
    const isSameSignature = secondSignature.every((byte, i) => byte === signature[i]);
    secondSignature.fill(0);
    if (!isSameSignature) throw new NotDeterministicError();
    if (form !== "plain") await saveRecovery!({ serviceWallet, form, signature: toBase64(signature) });
    await calls.post("/api/wallet/derive", createLinkProof(link, owner.address, keys));
    return { keys, network: toNetwork(namedDeployment) };
  } finally {
    signature.fill(0);
    seed.fill(0);
  }
}

/** @throws {OtherServiceWalletError} if the owner has saved into others only, unless `acceptNew` accepts the new one */
async function refuseNew(calls: Calls, serviceWallet: string, acceptNew: CreationOptions["acceptNew"]): Promise<void> {
  // Each call reads on in the wallet's history.
  let answer = await calls.get("/api/wallet/find");
  while (!answer.isComplete) answer = await calls.get("/api/wallet/find");
  const { serviceWallets } = answer;
  if (serviceWallets.length === 0 || serviceWallets.includes(serviceWallet)) return;
  if (!(await acceptNew?.(serviceWallets))) throw new OtherServiceWalletError(serviceWallets);
}

/** Derives the key of a service wallet, with one signature. @throws as `createServiceWallet` if it belongs to another one */
export async function openServiceWallet(calls: Calls, owner: TextSigner, serviceWallet: string): Promise<KeyPair> {
  const { message } = await calls.get("/api/wallet/derive");
  verifyTextDeployment(message, DERIVATION_KIND);
  const { signature, form } = await signText(owner, message);
  const seed = deriveServiceWalletSeed(signature, owner.address, 0, form);
  const keys = nacl.sign.keyPair.fromSeed(seed);
  signature.fill(0);
  seed.fill(0);
  if (bs58.encode(keys.publicKey) === serviceWallet) return keys;
  keys.secretKey.fill(0);
  throw new NotDeterministicError();
}

/** Builds the body of POST /api/wallet/derive, with the link text of its GET. @throws {AnotherTextError} */
export function createLinkProof(link: string, owner: string, keys: KeyPair): { publicKey: string; proof: string } {
  verifyTextDeployment(link, LINK_KIND);
  const publicKey = bs58.encode(keys.publicKey);
  const proof = nacl.sign.detached(encodeUtf8(fillLink(link, owner, publicKey)), keys.secretKey);
  return { publicKey, proof: toBase64(proof) };
}
