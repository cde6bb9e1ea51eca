import { once } from "node:events";
import { type WebSocket, WebSocketServer } from "ws";
import { type Chain, hasReachedCommitment, type Json, RPC_CODES, RpcError, refuseParams } from "../chain/types";
import { encodeAccount, readAccountConfig } from "./account-json";
import { type RpcAnswer, toRpcFailure } from "./answer-rpc";
import { isObject, parseAddress, parseCommitment, parseConfig, parseSignature, parseWholeNumber } from "./params";

const MAX_MESSAGE_BYTES = 64 * 1024;
/** Maximum number of subscriptions per connection. */
const MAX_SUBSCRIPTIONS = 1000;
/** The pause between two checks of all subscriptions, ms. A commitment can change without a new transaction. */
const POLL_MS = 100;

interface Subscription {
  id: number;
  socket: WebSocket;
  /** Method name of its notifications. */
  notificationMethod: "signatureNotification" | "accountNotification";
  /** Returns the new value if it changed since the last call; undefined otherwise. */
  readChange: () => Json | undefined;
}

function sendNotification(chain: Chain, { id, socket, notificationMethod }: Subscription, value: Json): void {
  const result = { context: { slot: chain.getSlot() }, value };
  socket.send(JSON.stringify({ jsonrpc: "2.0", method: notificationMethod, params: { result, subscription: id } }));
}

function createSubscriptions(chain: Chain) {
  const subscriptions = new Map<number, Subscription>();
  let lastId = 0;
  return {
    /** Sends a notification for each subscription whose value has changed. */
    notifyOfChanges(): void {
      for (const subscription of subscriptions.values()) {
        const value = subscription.readChange();
        if (value === undefined) continue;
        // A signature subscription ends with its first notification.
        if (subscription.notificationMethod === "signatureNotification") subscriptions.delete(subscription.id);
        sendNotification(chain, subscription, value);
      }
    },
    /** Adds a subscription. @returns its id */
    add(
      socket: WebSocket,
      notificationMethod: Subscription["notificationMethod"],
      readChange: Subscription["readChange"],
    ): number {
      const socketCount = [...subscriptions.values()].filter((subscription) => subscription.socket === socket).length;
      if (socketCount >= MAX_SUBSCRIPTIONS)
        refuseParams(`A connection holds at most ${MAX_SUBSCRIPTIONS} subscriptions`);
      lastId++;
      subscriptions.set(lastId, { id: lastId, socket, notificationMethod, readChange });
      return lastId;
    },
    /** Removes a subscription. @throws RpcError -32602 when this connection has no such subscription */
    remove(socket: WebSocket, id: number): true {
      if (subscriptions.get(id)?.socket !== socket) refuseParams("Invalid subscription id.");
      subscriptions.delete(id);
      return true;
    },
    removeAll(socket: WebSocket) {
      for (const subscription of subscriptions.values())
        if (subscription.socket === socket) subscriptions.delete(subscription.id);
    },
  };
}

type Subscriptions = ReturnType<typeof createSubscriptions>;

/** Creates a function that returns the signature's result once it has reached the requested commitment. */
function watchSignature(chain: Chain, params: unknown[]): () => Json | undefined {
  const signature = parseSignature(params, 0);
  const commitment = parseCommitment(parseConfig(params, 1));
  return () => {
    const signatureInfo = chain.findSignature(signature);
    return signatureInfo && hasReachedCommitment(chain.findCommitment(signatureInfo), commitment)
      ? { err: signatureInfo.err }
      : undefined;
  };
}

/**
 * Creates a function that returns the account if it has changed since the last call. It compares the newest states,
 * which may not be confirmed.
 */
function watchAccount(chain: Chain, params: unknown[]): () => Json | undefined {
  const address = parseAddress(params, 0);
  const { encoding } = readAccountConfig(params, 1);
  const readEncodedAccount = () => encodeAccount(chain, chain.getAccount(address), encoding);
  let lastSentText = JSON.stringify(readEncodedAccount());
  return () => {
    const account = readEncodedAccount();
    const text = JSON.stringify(account);
    if (text === lastSentText) return undefined;
    lastSentText = text;
    return account;
  };
}

function runMethod(
  chain: Chain,
  subscriptions: Subscriptions,
  socket: WebSocket,
  method: unknown,
  params: unknown[],
): Json {
  switch (method) {
    case "signatureSubscribe":
      return subscriptions.add(socket, "signatureNotification", watchSignature(chain, params));
    case "accountSubscribe":
      return subscriptions.add(socket, "accountNotification", watchAccount(chain, params));
    case "signatureUnsubscribe":
    case "accountUnsubscribe":
      return subscriptions.remove(socket, parseWholeNumber(params[0], "subscription", 0, Number.MAX_SAFE_INTEGER));
    default:
      throw new RpcError(RPC_CODES.methodNotFound, "Method not found");
  }
}

function answerMessage(chain: Chain, subscriptions: Subscriptions, socket: WebSocket, text: string): RpcAnswer {
  let request: unknown;
  try {
    request = JSON.parse(text);
  } catch {
    return toRpcFailure(null, RPC_CODES.parseError, "Parse error");
  }
  if (!isObject(request)) return toRpcFailure(null, RPC_CODES.invalidRequest, "Invalid request");
  const id = typeof request.id === "string" || typeof request.id === "number" ? request.id : null;
  try {
    const params = Array.isArray(request.params) ? request.params : [];
    return { jsonrpc: "2.0", id, result: runMethod(chain, subscriptions, socket, request.method, params) };
  } catch (error) {
    if (error instanceof RpcError) return toRpcFailure(id, error.code, error.message);
    throw error;
  }
}

/**
 * Opens the websocket beside the RPC port, on 127.0.0.1. web3.js needs signatureSubscribe to confirm transactions and
 * accountSubscribe to watch wallets. Rejects when the port is taken.
 * @param reportError receives later errors of the server, such as a connection that it cannot accept
 * @returns the open websocket's `close`
 */
export async function openSubscriptions(
  chain: Chain,
  port: number,
  isAllowedOrigin: (origin: string | undefined) => boolean,
  reportError: (error: unknown) => void,
) {
  const server = new WebSocketServer({
    host: "127.0.0.1",
    port,
    maxPayload: MAX_MESSAGE_BYTES,
    verifyClient: ({ origin }: { origin?: string }) => isAllowedOrigin(origin),
  });
  await once(server, "listening");
  server.on("error", reportError);
  const subscriptions = createSubscriptions(chain);
  const { notifyOfChanges } = subscriptions;
  const unsubscribe = chain.onSignature(notifyOfChanges);
  const timer = setInterval(notifyOfChanges, POLL_MS).unref();
  server.on("connection", (socket) => {
    socket.on("error", () => socket.terminate());
    socket.on("close", () => subscriptions.removeAll(socket));
    socket.on("message", (data) => {
      socket.send(JSON.stringify(answerMessage(chain, subscriptions, socket, data.toString())));
      notifyOfChanges();
    });
  });
  return {
    close(): void {
      clearInterval(timer);
      unsubscribe();
      for (const socket of server.clients) socket.terminate();
      server.close();
    },
  };
}
