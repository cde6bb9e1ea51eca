import { PublicKey } from "@solana/web3.js";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { KNOWN_TOKEN_SYMBOLS, type KnownToken } from "../../domain/assets";
import { deriveServiceWalletSeed } from "../../domain/service-wallet";
import { createServiceWalletText } from "../../domain/signed-texts";
import type { WithdrawalEnds } from "../../domain/withdraw/withdrawal";
import { findWalletAddressFaultBy } from "../../solana/ed25519";
import { RecoverError } from "../errors";
import { type Clock, systemClock } from "../platform";
import type { KeyPair } from "../sign/key-pair";
import { signText, type TextSigner, toDeployment } from "../sign/texts";
import type { RecoverChain } from "./chain-reads";
import { type Contents, previewContents } from "./contents";
import { emptyEach, emptyRest } from "./empty-each";
import { emptyWallet, type Recovery } from "./empty-wallet";

/** Recovery empties a service wallet with only the owner's wallet and any Solana node. It calls no Roundup server. */
export interface RecoverOptions {
  /** The owner of the service wallet; it signs the derivation text once. */
  owner: TextSigner;
  /** The deployment named in the derivation text: its origin, e.g. `https://roundup.example`, or `sandbox`. */
  origin: string;
  /** Index of the owner's service wallet, 0…255; default 0. */
  index?: number;
  chain: RecoverChain;
  /** Destination wallet, base58; default: the owner. */
  destination?: string;
  /** Sends only this asset; default: everything. */
  asset?: KnownToken;
  /**
   * Sends each supported asset and dollar token in its own transaction. A failure then stops only one. Other tokens stay.
   * Without this option, `recover` does the same for what is left when sending everything at once stops.
   */
  partial?: boolean;
  clock?: Clock;
  onLanded?: (signature: string) => void;
}

/**
 * Returns the derivation text. Its signature gives full control of the service wallet.
 * @throws {RangeError} when `origin` is neither an origin nor `sandbox`
 */
export const createDerivationText = (origin: string): string => createServiceWalletText(toDeployment(origin));

/** Previews a recovery: the wallet's contents, and the costs of sending them. It sends nothing. @throws as `recover` */
export async function inspect(options: RecoverOptions): Promise<Contents> {
  const { chain, asset = null } = options;
  const { contents } = await withKeys(options, (_keys, ends) =>
    previewContents(chain, ends, { asset, keepRentMinimum: false }),
  );
  return contents;
}

/**
 * Empties a service wallet, down to exactly 0. After a refused attempt it keeps the rent minimum, so that a stranger's
 * transfers cannot block it twice. If that is refused too, it sends each asset on its own, see `leftBehind`.
 * @returns the contents before the first transaction or after the refused attempt, and the signatures that landed
 * @throws {WrongAccountError | RangeError | RecoverError} and RPC errors
 */
export async function recover(options: RecoverOptions): Promise<Contents & { landed: string[] }> {
  const { chain, asset = null, partial = false, clock = systemClock, onLanded = () => {} } = options;
  return withKeys(options, async (keys, ends) => {
    const landed: string[] = [];
    const recovery: Recovery = { chain, clock, keys, ends, landed, onLanded, newestSlot: undefined };
    if (partial) return { ...(await emptyEach(recovery, asset === null ? KNOWN_TOKEN_SYMBOLS : [asset])), landed };
    const { contents, stopReason } = await emptyWallet(recovery, asset);
    if (stopReason === null) return { ...contents, landed };
    if (asset !== null) throw new RecoverError(stopReason, landed);
    return { ...(await emptyRest(recovery, contents, stopReason)), landed };
  });
}

async function withKeys<Value>(
  { owner, origin, index = 0, destination = owner.address }: RecoverOptions,
  task: (keys: KeyPair, ends: WithdrawalEnds) => Promise<Value>,
): Promise<Value> {
  const text = createDerivationText(origin);
  // Funds are lost at an address without a key, such as a closed token account, which no node can recognise.
  const fault = findWalletAddressFaultBy(destination, PublicKey.isOnCurve);
  if (fault !== null) throw new RangeError(`The destination ${fault}.`);
  const { signature, form } = await signText(owner, text);
  const seed = deriveServiceWalletSeed(signature, owner.address, index, form);
  const keys = nacl.sign.keyPair.fromSeed(seed);
  signature.fill(0);
  seed.fill(0);
  const wallet = bs58.encode(keys.publicKey);
  try {
    if (wallet === destination) throw new RangeError("The destination is the savings wallet itself.");
    return await task(keys, { wallet, destination });
  } finally {
    keys.secretKey.fill(0);
  }
}
