export interface Changes {
  /** Settles when the account changes next; null while nobody would tell. */
  next(): Promise<void> | null;
  close(): void;
}

/** As much of a WebSocket as is used here. */
interface Socket {
  onopen: (() => void) | null;
  onmessage: ((message: { data: unknown }) => void) | null;
  onerror: (() => void) | null;
  onclose: (() => void) | null;
  send(text: string): void;
  close(): void;
}

/** The runtime's WebSocket; Node 20 has none. */
export type OpensSocket = new (url: string) => Socket;

const AGAIN_MS = 30_000;

/**
 * Follows an account over a node's websocket. One that breaks is opened again; a node that does not offer it is left alone,
 * where web3.js would ask it again without a pause.
 * @param url ws:// or wss://
 * @throws {Error} for what is no such address
 */
export function followAccount(
  url: string,
  address: string,
  world: { WebSocket: OpensSocket; pause(ms: number): Promise<void> },
): Changes {
  const waiting: (() => void)[] = [];
  let [told, ended] = [false, false];
  let socket = open();

  function open(): Socket {
    const opened = new world.WebSocket(url);
    const params = [address, { encoding: "base64", commitment: "confirmed" }];
    opened.onopen = () => opened.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "accountSubscribe", params }));
    opened.onmessage = ({ data }) => {
      const said = String(data);
      if (said.includes('"accountNotification"')) wake();
      else if (said.includes('"error"')) close();
      else told = true;
    };
    opened.onerror = () => {};
    opened.onclose = () => void openAgain();
    return opened;
  }

  function wake(): void {
    for (const one of waiting.splice(0)) one();
  }

  /** What was missed meanwhile is looked for at once. */
  async function openAgain(): Promise<void> {
    told = false;
    wake();
    if (!ended) await world.pause(AGAIN_MS);
    if (!ended) socket = open();
  }

  function close(): void {
    ended = true;
    socket.close();
  }
  return { next: () => (told ? new Promise((one) => waiting.push(one)) : null), close };
}
