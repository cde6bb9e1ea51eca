import type { Adapter } from "@solana/wallet-adapter-base";
import type { StandardWalletAdapter } from "@solana/wallet-standard-wallet-adapter-base";
import type { WalletAccount } from "@wallet-standard/base";
import { browserStore } from "../local-storage/browser-storage";

const FEATURE_NAME = "solana:signOffchainMessage";

/** Version 1.0.0 of the feature, of which a wallet may lack parts. Its package needs Node 22. */
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

/** Returns how an account signs off-chain messages of version 1. Do not keep it: a wallet may replace the account. */
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

/** Throws as an adapter does for a text. */
function throwAsAdapter(cause: unknown): never {
  const { message = "" } = cause instanceof Error ? cause : {};
  throw Object.assign(new Error(message), { name: "WalletSignMessageError", error: cause });
}

const toOffchainKey = (wallet: string) => `roundup-signs-offchain:${wallet}`;

/** Whether texts are signed off-chain. The first derivation's form stays, because it decides the service wallet. */
export const readSignsOffchain = (wallet: string): boolean => browserStore.get(toOffchainKey(wallet)) === "true";

export const storeSignsOffchain = (wallet: string, signsOffchain: boolean): void =>
  void browserStore.keep(toOffchainKey(wallet), signsOffchain ? "true" : null);
