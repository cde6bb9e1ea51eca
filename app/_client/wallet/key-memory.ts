import type { KeyPair } from "@/lib/sdk/sign/key-pair";

/** Holds the connected wallet's service key in this page's memory only. The key is zeroed when it is dropped. */
export interface KeyMemory {
  /** Records the connected wallet. A change of wallet drops the key. */
  connected(wallet: string | null): void;
  /**
   * Stores the key only for the connected wallet.
   * @returns whether the key was stored
   */
  hold(wallet: string, keys: KeyPair): boolean;
  forget(): void;
  /**
   * Returns the stored key. Without one, calls `open` to ask the wallet; concurrent callers share one request.
   * @throws {Error} when the connected wallet changed before `open` finished; also rethrows errors of `open`
   */
  keyOf(wallet: string, open: () => Promise<KeyPair>): Promise<KeyPair>;
}

export function createKeyMemory(): KeyMemory {
  let current: string | null = null;
  let stored: KeyPair | null = null;
  let opening: { wallet: string; keys: Promise<KeyPair> } | null = null;

  const forget = () => {
    stored?.secretKey.fill(0);
    stored = null;
  };
  const hold = (wallet: string, keys: KeyPair) => {
    if (wallet === current) stored = keys;
    else keys.secretKey.fill(0);
    return wallet === current;
  };
  const ask = (wallet: string, open: () => Promise<KeyPair>) => {
    const keys = open().finally(() => {
      if (opening?.keys === keys) opening = null;
    });
    opening = { wallet, keys };
    return keys;
  };

  return {
    connected(wallet) {
      if (wallet !== current) forget();
      current = wallet;
    },
    hold,
    forget,
    async keyOf(wallet, open) {
      if (stored && wallet === current) return stored;
      const keys = await (opening?.wallet === wallet ? opening.keys : ask(wallet, open));
      if (hold(wallet, keys)) return keys;
      throw Object.assign(new Error("The wallet changed before it answered."), { name: "WalletDisconnectedError" });
    },
  };
}
