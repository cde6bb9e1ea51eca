import type { KeyPair } from "@/lib/sdk/sign/key-pair";

export type KeyMemory = ReturnType<typeof createKeyMemory>;

/** Creates a memory for the connected wallet's service key. The key stays in this page, and is zeroed when dropped. */
export function createKeyMemory() {
  let connectedWallet: string | null = null;
  let storedKeyPair: KeyPair | null = null;
  let pendingRequest: { wallet: string; keyPairPromise: Promise<KeyPair> } | null = null;

  /** Zeroes and removes the key. */
  const dropKey = () => {
    storedKeyPair?.secretKey.fill(0);
    storedKeyPair = null;
  };
  /** Stores the key if `wallet` is the connected one. Otherwise zeroes the key. Returns whether it was stored. */
  const storeKey = (wallet: string, keyPair: KeyPair): boolean => {
    if (wallet === connectedWallet) storedKeyPair = keyPair;
    else keyPair.secretKey.fill(0);
    return wallet === connectedWallet;
  };
  const requestKey = (wallet: string, askWallet: () => Promise<KeyPair>) => {
    const keyPairPromise = askWallet().finally(() => {
      if (pendingRequest?.keyPairPromise === keyPairPromise) pendingRequest = null;
    });
    pendingRequest = { wallet, keyPairPromise };
    return keyPairPromise;
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
      if (storedKeyPair && wallet === connectedWallet) return storedKeyPair;
      const isRequested = pendingRequest?.wallet === wallet;
      const keyPair = await (isRequested ? pendingRequest!.keyPairPromise : requestKey(wallet, askWallet));
      if (storeKey(wallet, keyPair)) return keyPair;
      // The name decides which text the page shows (wallet-errors.ts).
      throw Object.assign(new Error("The connected wallet changed before the first wallet answered."), {
        name: "WalletDisconnectedError",
      });
    },
  };
}
