import type { KeyPair } from "@/lib/sdk/sign/key-pair";

/** Holds the connected wallet's service key in this page's memory only. The key is zeroed when it is dropped. */
export interface KeyMemory {
  /** Records the connected wallet. A change of wallet drops the key. */
  setWallet(wallet: string | null): void;
  /**
   * Stores the key if `wallet` is the connected one. Otherwise zeroes the key.
   * @returns whether the key was stored
   */
  storeKey(wallet: string, keys: KeyPair): boolean;
  /** Zeroes and removes the key. */
  dropKey(): void;
  /**
   * Returns the stored key. Without one, calls `open` to ask the wallet; concurrent callers share one request.
   * @throws {Error} when the connected wallet changed before `open` finished; also rethrows errors of `open`
   */
  getOrRequestKey(wallet: string, open: () => Promise<KeyPair>): Promise<KeyPair>;
}

/** Creates a memory without a wallet and without a key. */
export function createKeyMemory(): KeyMemory {
  let connectedWallet: string | null = null;
  let storedKeys: KeyPair | null = null;
  let pendingRequest: { wallet: string; keys: Promise<KeyPair> } | null = null;

  const dropKey = () => {
    storedKeys?.secretKey.fill(0);
    storedKeys = null;
  };
  const storeKey = (wallet: string, keys: KeyPair) => {
    if (wallet === connectedWallet) storedKeys = keys;
    else keys.secretKey.fill(0);
    return wallet === connectedWallet;
  };
  const requestKey = (wallet: string, open: () => Promise<KeyPair>) => {
    const keys = open().finally(() => {
      if (pendingRequest?.keys === keys) pendingRequest = null;
    });
    pendingRequest = { wallet, keys };
    return keys;
  };

  return {
    setWallet(wallet) {
      if (wallet !== connectedWallet) dropKey();
      connectedWallet = wallet;
    },
    storeKey,
    dropKey,
    async getOrRequestKey(wallet, open) {
      if (storedKeys && wallet === connectedWallet) return storedKeys;
      const keys = await (pendingRequest?.wallet === wallet ? pendingRequest.keys : requestKey(wallet, open));
      if (storeKey(wallet, keys)) return keys;
      throw Object.assign(new Error("The wallet changed before it answered."), { name: "WalletDisconnectedError" });
    },
  };
}
