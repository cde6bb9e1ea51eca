import { Connection, PublicKey } from "@solana/web3.js";

export interface Changes {
  /** Settles when the account changes next. */
  next(): Promise<void>;
  close(): Promise<void>;
}

/** Follows an account over a node's websocket, which web3.js opens again when it breaks. @param url ws:// or wss:// @throws {Error} for what is no such address */
export function followAccount(url: string, address: string): Changes {
  const connection = new Connection(url.replace(/^ws/, "http"), { commitment: "confirmed", wsEndpoint: url });
  let waiting: (() => void)[] = [];
  const subscription = connection.onAccountChange(new PublicKey(address), () => {
    const all = waiting;
    waiting = [];
    for (const wake of all) wake();
  });
  return {
    next: () => new Promise((wake) => waiting.push(wake)),
    close: () => connection.removeAccountChangeListener(subscription),
  };
}
