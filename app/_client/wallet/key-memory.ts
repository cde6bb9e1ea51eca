import type { KeyPair } from "@/lib/sdk/sign/key-pair";

/** The service key, in this page's memory and nowhere else: of the wallet that is connected, and zeroed with its end. */
export interface KeyMemory {
  /** Another wallet, or none, is another session. */
  connected(wallet: string | null): void;
  /** Of another wallet than the connected one nothing is held. @returns whether it is */
  hold(wallet: string, keys: KeyPair): boolean;
  forget(): void;
  /**
   * The key that is held, else the one that `open` asks the wallet for: once, whoever waits for it.
   * @throws {Error} when another wallet, or none, is connected by then; whatever `open` throws
   */
  keyOf(wallet: string, open: () => Promise<KeyPair>): Promise<KeyPair>;
}

export function createKeyMemory(): KeyMemory {
  let current: string | null = null;
  let held: KeyPair | null = null;
  let asked: { wallet: string; keys: Promise<KeyPair> } | null = null;

  const forget = () => {
    held?.secretKey.fill(0);
    held = null;
  };
  const hold = (wallet: string, keys: KeyPair) => {
    if (wallet === current) held = keys;
    else keys.secretKey.fill(0);
    return wallet === current;
  };
  const ask = (wallet: string, open: () => Promise<KeyPair>) => {
    const keys = open().finally(() => {
      if (asked?.keys === keys) asked = null;
    });
    asked = { wallet, keys };
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
      if (held && wallet === current) return held;
      const keys = await (asked?.wallet === wallet ? asked.keys : ask(wallet, open));
      if (hold(wallet, keys)) return keys;
      throw Object.assign(new Error("The wallet was changed or left meanwhile."), { name: "WalletDisconnectedError" });
    },
  };
}
