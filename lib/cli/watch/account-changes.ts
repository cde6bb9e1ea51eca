import { deriveDollarAccounts } from "../../domain/dollar-accounts";
import { COMMITMENT } from "../../solana/commitment";

export interface WalletChanges {
  /** Resolves at the wallet's next change, or when the connection closes; null without an active subscription. */
  waitForChange(): Promise<void> | null;
  close(): void;
}

interface Socket {
  onopen: (() => void) | null;
  onmessage: ((message: { data: unknown }) => void) | null;
  onerror: (() => void) | null;
  onclose: (() => void) | null;
  send(text: string): void;
  close(): void;
}

export type SocketConstructor = new (url: string) => Socket;

const RECONNECT_MS = 30_000;

/**
 * Subscribes to a wallet's own account and its dollar token accounts over one connection: someone else pays the fee of an
 * x402 payment. It reconnects after a lost connection, and gives up if the node rejects it. web3.js would retry without a
 * pause. @param url ws:// or wss:// @throws {Error} on an invalid address
 */
export function followWallet(
  url: string,
  wallet: string,
  runtime: { WebSocket: SocketConstructor; pause(ms: number): Promise<void> },
): WalletChanges {
  const addresses = [wallet, ...deriveDollarAccounts(wallet)];
  const resumeWaiters: (() => void)[] = [];
  let [activeCount, isClosed] = [0, false];
  let socket = openSocket();

  function openSocket(): Socket {
    const newSocket = new runtime.WebSocket(url);
    newSocket.onopen = () => {
      for (const [id, address] of addresses.entries()) {
        const params = [address, { encoding: "base64", commitment: COMMITMENT }];
        newSocket.send(JSON.stringify({ jsonrpc: "2.0", id, method: "accountSubscribe", params }));
      }
    };
    newSocket.onmessage = ({ data }) => {
      const messageText = String(data);
      if (messageText.includes('"accountNotification"')) wakeWaiters();
      else if (messageText.includes('"error"')) close();
      else activeCount += 1;
    };
    newSocket.onerror = () => {};
    newSocket.onclose = () => void reconnect();
    return newSocket;
  }

  function wakeWaiters(): void {
    for (const resume of resumeWaiters.splice(0)) resume();
  }

  /** Wakes all waiters first, because changes may have been missed, and then reconnects. */
  async function reconnect(): Promise<void> {
    activeCount = 0;
    wakeWaiters();
    if (!isClosed) await runtime.pause(RECONNECT_MS);
    if (!isClosed) socket = openSocket();
  }

  function close(): void {
    isClosed = true;
    socket.close();
  }

  const waitForChange = () =>
    activeCount === addresses.length ? new Promise<void>((resolve) => resumeWaiters.push(resolve)) : null;
  return { waitForChange, close };
}
