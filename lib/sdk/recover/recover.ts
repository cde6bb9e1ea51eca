import { PublicKey } from "@solana/web3.js";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { ASSET_SYMBOLS, type AssetSymbol } from "../../domain/assets";
import { serviceWalletSeed } from "../../domain/service-wallet";
import { serviceWalletText } from "../../domain/texts";
import { walletAddressFaultBy } from "../../solana/ed25519";
import type { KeyPair } from "../sign/key-pair";
import { deploymentOf, signText, type TextSigner } from "../sign/texts";
import { type Clock, systemClock } from "../world";
import { type Contents, previewContents, type RecoverChain } from "./contents";
import { empty, emptyEach, RecoverError } from "./empty";

export { RecoverError };

/** Leaving without Roundup: no server of ours is asked, only the owner's wallet and any Solana node. */

export interface RecoverOptions {
  /** The wallet that the service wallet belongs to; it signs the derivation text once. */
  owner: TextSigner;
  /** What the derivation text names: the deployment's origin, e.g. `https://roundup.example`, or `sandbox`. */
  origin: string;
  /** Which of the owner's service wallets, 0…255; 0 unless told otherwise. */
  index?: number;
  chain: RecoverChain;
  /** Where everything goes, base58; the owner unless told otherwise. */
  destination?: string;
  /** Only this; everything unless told otherwise. */
  asset?: AssetSymbol;
  /** Sends each supported asset by itself, so that one that cannot be sent stops no other. Other tokens stay. */
  partial?: boolean;
  clock?: Clock;
  /** Called for each transaction that has landed. */
  onLanded?: (signature: string) => void;
}

/**
 * The text whose signature is the key to the service wallet.
 * @throws {RangeError} when `origin` is neither an origin nor `sandbox`
 */
export const derivationText = (origin: string): string => serviceWalletText(deploymentOf(origin));

/** What is in the service wallet, and what sending it home would come to. Nothing is sent. @throws as `recover` */
export async function inspect(options: RecoverOptions): Promise<Contents> {
  const { chain, asset = null } = options;
  return withKeys(
    options,
    async (_keys, ends) => (await previewContents(chain, ends, { asset, keepRentMinimum: false })).contents,
  );
}

/**
 * Sends everything home: tokens of both programs, their accounts closed, and the SOL down to exactly 0. After a refusal it
 * looks again and keeps the rent minimum, so that nothing a stranger sends to the wallet stops it twice.
 * @returns what was in the wallet, and the transactions that emptied it; none when `reason` says why nothing can be sent
 * @throws {WrongAccountError} when the signature is not the owner's; {RangeError} on a bad origin, index or destination;
 * {RecoverError}; whatever the node throws before anything is sent
 */
export async function recover(options: RecoverOptions): Promise<Contents & { landed: string[] }> {
  const { chain, asset = null, partial = false, clock = systemClock, onLanded = () => {} } = options;
  return withKeys(options, async (keys, ends) => {
    const landed: string[] = [];
    const job = { chain, clock, keys, ends, landed, onLanded };
    if (partial) return { ...(await emptyEach(job, asset === null ? ASSET_SYMBOLS : [asset])), landed };
    const { contents, stopped } = await empty(job, asset);
    if (stopped !== null) throw new RecoverError(stopped, landed);
    return { ...contents, landed };
  });
}

/** The key lives no longer than the task. */
async function withKeys<T>(
  { owner, origin, index = 0, destination = owner.address }: RecoverOptions,
  task: (keys: KeyPair, ends: { wallet: string; destination: string }) => Promise<T>,
): Promise<T> {
  const text = derivationText(origin);
  // What goes to where no key leads is lost: a token account that was closed, say, which no node knows any more.
  const fault = walletAddressFaultBy(destination, PublicKey.isOnCurve);
  if (fault !== null) throw new RangeError(`The destination ${fault}.`);
  const signature = await signText(owner, text);
  const seed = serviceWalletSeed(signature, owner.address, index);
  const keys = nacl.sign.keyPair.fromSeed(seed);
  signature.fill(0);
  seed.fill(0);
  const wallet = bs58.encode(keys.publicKey);
  try {
    if (wallet === destination) throw new RangeError("The destination is the service wallet itself.");
    return await task(keys, { wallet, destination });
  } finally {
    keys.secretKey.fill(0);
  }
}
