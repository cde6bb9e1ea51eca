export interface Changes {
  /** Settles when the account changes next. */
  next(): Promise<void>;
  close(): void;
}

const AGAIN_MS = 30_000;

/**
 * Follows an account over a node's websocket. One that breaks is opened again; a node that does not offer it is left alone,
 * where web3.js would ask it again without a pause.
 * @param url ws:// or wss://
 * @throws {Error} for what is no such address, and where the runtime has no WebSocket (Node 20)
 */
export function followAccount(url: string, address: string): Changes {
  if (typeof WebSocket === "undefined")
    throw new Error("--ws needs Node 22 or later; without it, watch looks by itself.");
  let waiting: (() => void)[] = [];
  let ended = false;
  let timer: NodeJS.Timeout | undefined;
  let socket = open();

  function open(): WebSocket {
    const opened = new WebSocket(url);
    const params = [address, { encoding: "base64", commitment: "confirmed" }];
    opened.onopen = () => opened.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "accountSubscribe", params }));
    opened.onmessage = ({ data }) => {
      const said = String(data);
      if (said.includes('"accountNotification"')) for (const wake of waiting.splice(0)) wake();
      else if (said.includes('"error"')) close();
    };
    opened.onerror = () => {};
    opened.onclose = () => {
      if (ended) return;
      timer = setTimeout(() => {
        socket = open();
      }, AGAIN_MS);
    };
    return opened;
  }

  function close(): void {
    ended = true;
    clearTimeout(timer);
    socket.close();
    waiting = [];
  }
  return { next: () => new Promise((wake) => waiting.push(wake)), close };
}
