import { PublicKey } from "@solana/web3.js";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { serviceWalletSeed } from "../../domain/service-wallet";
import { serviceWalletText } from "../../domain/texts";
import { walletAddressFaultBy } from "../../solana/ed25519";
import type { KeyPair } from "../sign/key-pair";
import { deploymentOf, signText, type TextSigner } from "../sign/texts";
import { type Clock, systemClock } from "../world";
import { type Contents, look, type RecoverChain } from "./contents";
import { onceSeen, sendOnce } from "./send";

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
  clock?: Clock;
  /** Called for each transaction that has landed. */
  onLanded?: (signature: string) => void;
}

/** It stopped on the way. What landed has landed, and calling it again goes on with what the chain then shows. */
export class RecoverError extends Error {
  override name = "RecoverError";
  constructor(
    message: string,
    /** Of the transactions that landed. */
    readonly landed: readonly string[],
  ) {
    super(message);
  }
}

/** Times in a row that a transaction may miss its time. */
const MAX_EXPIRED = 3;

/**
 * The text whose signature is the key to the service wallet.
 * @throws {RangeError} when `origin` is neither an origin nor `sandbox`
 */
export const derivationText = (origin: string): string => serviceWalletText(deploymentOf(origin));

/** What is in the service wallet, and what sending it home would come to. Nothing is sent. @throws as `recover` */
export async function inspect(options: RecoverOptions): Promise<Contents> {
  return withKeys(options, async (_keys, ends) => (await look(options.chain, ends)).contents);
}

/**
 * Sends everything home: tokens of both programs, their accounts closed, and the SOL down to exactly 0.
 * @returns what was in the wallet, and the transactions that emptied it; none when `reason` says why nothing can be sent
 * @throws {WrongAccountError} when the signature is not the owner's; {RangeError} on a bad origin, index or destination;
 * {RecoverError}; whatever the node throws before anything is sent
 */
export async function recover(options: RecoverOptions): Promise<Contents & { landed: string[] }> {
  const { chain, clock = systemClock, onLanded = () => {} } = options;
  return withKeys(options, async (keys, ends) => {
    const landed: string[] = [];
    let first: Contents | null = null;
    let slot: number | undefined;
    for (let expired = 0; expired < MAX_EXPIRED; ) {
      const { contents, instructions, complete, ...seen } = await (slot === undefined
        ? look(chain, ends)
        : onceSeen(clock, () => look(chain, ends, slot)));
      slot = seen.slot;
      first ??= contents;
      if (contents.reason !== null && landed.length > 0 && contents.lamports > 0n) {
        throw new RecoverError(contents.reason, landed);
      }
      let missed = false;
      for (const group of instructions) {
        const sending = await sendOnce(chain, clock, keys, group, slot);
        if (sending.state === "expired") {
          missed = true;
          break;
        }
        if (sending.state !== "landed") throw new RecoverError(whyStopped(sending), landed);
        landed.push(sending.signature);
        onLanded(sending.signature);
        slot = sending.slot;
        expired = 0;
      }
      if (missed) expired++;
      else if (complete || instructions.length === 0) return { ...first, landed };
    }
    throw new RecoverError("The network took nothing in time, three times in a row. Try again later.", landed);
  });
}

function whyStopped(sending: Exclude<Awaited<ReturnType<typeof sendOnce>>, { state: "landed" | "expired" }>): string {
  if (sending.state === "unknown")
    return `It is not known yet whether ${sending.signature} landed. Look again in a while.`;
  if (sending.state === "refused") return `It would fail now, so it was not sent: ${sending.error}`;
  return `${sending.signature} failed on the chain: ${sending.error}`;
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
