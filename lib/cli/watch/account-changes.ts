import { COMMITMENT } from "../../solana/commitment";

/** A subscription to the changes of an account. */
export interface AccountChanges {
  /** Resolves at the account's next change, or when the connection closes; null without an active subscription. */
  waitForChange(): Promise<void> | null;
  close(): void;
}

/** The part of the WebSocket interface that this file uses. */
interface Socket {
  onopen: (() => void) | null;
  onmessage: ((message: { data: unknown }) => void) | null;
  onerror: (() => void) | null;
  onclose: (() => void) | null;
  send(text: string): void;
  close(): void;
}

/** Constructor of the runtime's WebSocket; Node 20 has none. */
export type SocketConstructor = new (url: string) => Socket;

const RECONNECT_MS = 30_000;

/**
 * Subscribes to an account over a node's websocket. It reconnects after a lost connection, and gives up if the node
 * rejects the subscription. It does not use web3.js, which would then retry without a pause.
 * @param url ws:// or wss://
 * @throws {Error} on an invalid address
 */
export function followAccount(
  url: string,
  address: string,
  runtime: { WebSocket: SocketConstructor; pause(ms: number): Promise<void> },
): AccountChanges {
  const resumeWaiters: (() => void)[] = [];
  let [isSubscribed, isClosed] = [false, false];
  let socket = openSocket();

  function openSocket(): Socket {
    const newSocket = new runtime.WebSocket(url);
    const params = [address, { encoding: "base64", commitment: COMMITMENT }];
    newSocket.onopen = () =>
      newSocket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "accountSubscribe", params }));
    newSocket.onmessage = ({ data }) => {
      const messageText = String(data);
      if (messageText.includes('"accountNotification"')) wakeWaiters();
      else if (messageText.includes('"error"')) close();
      else isSubscribed = true;
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
    isSubscribed = false;
    wakeWaiters();
    if (!isClosed) await runtime.pause(RECONNECT_MS);
    if (!isClosed) socket = openSocket();
  }

  function close(): void {
    isClosed = true;
    socket.close();
  }

  return { waitForChange: () => (isSubscribed ? new Promise((resolve) => resumeWaiters.push(resolve)) : null), close };
}
