/** A subscription to the changes of an account. */
export interface AccountChanges {
  /** Resolves at the account's next change or after a reconnect; null while the subscription is not active. */
  waitForChange(): Promise<void> | null;
  close(): void;
}

/** The part of the WebSocket interface used here. */
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
 * Subscribes to an account over a node's websocket. It reconnects after a lost connection. If the node rejects the
 * subscription, it gives up; web3.js would retry without a pause.
 * @param url ws:// or wss://
 * @throws {Error} on an invalid address
 */
export function followAccount(
  url: string,
  address: string,
  world: { WebSocket: SocketConstructor; pause(ms: number): Promise<void> },
): AccountChanges {
  const waiting: (() => void)[] = [];
  let [subscribed, ended] = [false, false];
  let socket = open();

  function open(): Socket {
    const opened = new world.WebSocket(url);
    const params = [address, { encoding: "base64", commitment: "confirmed" }];
    opened.onopen = () => opened.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "accountSubscribe", params }));
    opened.onmessage = ({ data }) => {
      const text = String(data);
      if (text.includes('"accountNotification"')) wakeWaiters();
      else if (text.includes('"error"')) close();
      else subscribed = true;
    };
    opened.onerror = () => {};
    opened.onclose = () => void reconnect();
    return opened;
  }

  function wakeWaiters(): void {
    for (const resume of waiting.splice(0)) resume();
  }

  /** Wakes all waiters first, because changes may have been missed, and then reconnects. */
  async function reconnect(): Promise<void> {
    subscribed = false;
    wakeWaiters();
    if (!ended) await world.pause(RECONNECT_MS);
    if (!ended) socket = open();
  }

  function close(): void {
    ended = true;
    socket.close();
  }

  return { waitForChange: () => (subscribed ? new Promise((resolve) => waiting.push(resolve)) : null), close };
}
