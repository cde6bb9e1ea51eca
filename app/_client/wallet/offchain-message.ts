import type { Adapter } from "@solana/wallet-adapter-base";
import type { StandardWalletAdapter } from "@solana/wallet-standard-wallet-adapter-base";
import type { WalletAccount } from "@wallet-standard/base";
import { browserStore } from "../local-storage/browser-storage";

const FEATURE_NAME = "solana:signOffchainMessage";

/**
 * Version 1.0.0 of the Wallet Standard feature, as a wallet may lack parts of it. Its package
 * (@solana/wallet-standard-features 1.5) needs Node 22.
 */
interface SignOffchainMessageFeature {
  supportedMessageVersions?: readonly number[];
  signOffchainMessage(input: {
    messageVersion: 1;
    account: WalletAccount;
    message: string;
    requiredSigners: readonly WalletAccount["publicKey"][];
  }): Promise<readonly { signature: Uint8Array }[]>;
}

type SignText = (message: Uint8Array) => Promise<Uint8Array>;

/**
 * Returns the function by which an account signs a text as an off-chain message of version 1. Null if its wallet has
 * no such feature, or does not list the account. Do not keep the function: a wallet may replace the account.
 */
export function findOffchainSigner(adapter: Adapter | undefined, address: string): SignText | null {
  // Adapters of Wallet Standard have the wallet. There are no others here.
  const wallet = (adapter as Partial<StandardWalletAdapter> | undefined)?.wallet;
  const feature = (wallet?.features as Record<string, unknown> | undefined)?.[FEATURE_NAME];
  const account = wallet?.accounts.find((candidate) => candidate.address === address);
  if (!feature || !account?.features.includes(FEATURE_NAME)) return null;
  const { supportedMessageVersions, signOffchainMessage } = feature as SignOffchainMessageFeature;
  if (!supportedMessageVersions?.includes(1)) return null;
  return async (message) => {
    const text = new TextDecoder().decode(message);
    const input = { messageVersion: 1, account, message: text, requiredSigners: [account.publicKey] } as const;
    const [output] = await signOffchainMessage.call(feature, input).catch(throwAsAdapter);
    return output!.signature;
  };
}

/** Throws an error with the name and the cause that an adapter's error for a text has. */
function throwAsAdapter(cause: unknown): never {
  const { message = "" } = cause instanceof Error ? cause : {};
  throw Object.assign(new Error(message), { name: "WalletSignMessageError", error: cause });
}

const toOffchainKey = (wallet: string) => `roundup-signs-offchain:${wallet}`;

/**
 * Returns whether this wallet's texts are signed as off-chain messages, although it also signs plain ones. The form of
 * the first derivation stays, because each form gives another service wallet.
 */
export const readSignsOffchain = (wallet: string): boolean => browserStore.get(toOffchainKey(wallet)) === "true";

export const storeSignsOffchain = (wallet: string, signsOffchain: boolean): void =>
  void browserStore.keep(toOffchainKey(wallet), signsOffchain ? "true" : null);
