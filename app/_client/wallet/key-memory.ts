import type { KeyPair } from "@/lib/sdk/sign/key-pair";

export type KeyMemory = ReturnType<typeof createKeyMemory>;

/**
 * Creates an empty memory for the connected wallet's service key, which exists in this page only. The key is zeroed when
 * it is dropped.
 */
export function createKeyMemory() {
  let connectedWallet: string | null = null;
  let storedKeys: KeyPair | null = null;
  let pendingRequest: { wallet: string; keys: Promise<KeyPair> } | null = null;

  /** Zeroes and removes the key. */
  const dropKey = () => {
    storedKeys?.secretKey.fill(0);
    storedKeys = null;
  };
  /** Stores the key if `wallet` is the connected one. Otherwise zeroes the key. Returns whether it was stored. */
  const storeKey = (wallet: string, keys: KeyPair): boolean => {
    if (wallet === connectedWallet) storedKeys = keys;
    else keys.secretKey.fill(0);
    return wallet === connectedWallet;
  };
  const requestKey = (wallet: string, askWallet: () => Promise<KeyPair>) => {
    const keys = askWallet().finally(() => {
      if (pendingRequest?.keys === keys) pendingRequest = null;
    });
    pendingRequest = { wallet, keys };
    return keys;
  };

  return {
    /** Records the connected wallet. A change of wallet drops the key. */
    setWallet(wallet: string | null): void {
      if (wallet !== connectedWallet) dropKey();
      connectedWallet = wallet;
    },
    storeKey,
    dropKey,
    /**
     * Returns the stored key. Without one, calls `askWallet`. Concurrent callers share one request.
     * @throws {Error} when the connected wallet changed before `askWallet` finished; also rethrows its errors
     */
    async getOrRequestKey(wallet: string, askWallet: () => Promise<KeyPair>): Promise<KeyPair> {
      if (storedKeys && wallet === connectedWallet) return storedKeys;
      const keys = await (pendingRequest?.wallet === wallet ? pendingRequest.keys : requestKey(wallet, askWallet));
      if (storeKey(wallet, keys)) return keys;
      throw Object.assign(new Error("The wallet changed before it answered."), { name: "WalletDisconnectedError" });
    },
  };
}
