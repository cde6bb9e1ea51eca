import { once } from "node:events";
import { type WebSocket, WebSocketServer } from "ws";
import { type Chain, type Json, RPC_CODES, RpcError, refuseParams, type SignatureInfo } from "../chain/types";
import { encodeJson, type RpcAnswer, toRpcFailure } from "./answer-rpc";
import { isObject, parseWholeNumber } from "./params";
import { WATCHES, type Watch } from "./subscriptions";

const MAX_MESSAGE_BYTES = 64 * 1024;
/** Maximum number of subscriptions per connection. */
const MAX_SUBSCRIPTIONS = 1000;
/** The pause between two checks of all subscriptions, ms. A commitment can change without a new transaction. */
const POLL_MS = 100;

interface Subscription {
  id: number;
  socket: WebSocket;
  /** The name of its methods before "Subscribe", "Notification" and "Unsubscribe". */
  name: string;
  watch: Watch;
}

function sendNotification({ id, socket, name }: Subscription, result: Json): void {
  socket.send(encodeJson({ jsonrpc: "2.0", method: `${name}Notification`, params: { result, subscription: id } }));
}

function createSubscriptions() {
  const subscriptions = new Map<number, Subscription>();
  let lastId = 0;
  /** Sends the notifications that are due. */
  const notifyOfChanges = (): void => {
    for (const subscription of subscriptions.values()) {
      const results = subscription.watch.readResults();
      if (results.length > 0 && subscription.watch.isOnce) subscriptions.delete(subscription.id);
      for (const result of results) sendNotification(subscription, result);
    }
  };
  return {
    notifyOfChanges,
    onTransaction(info: SignatureInfo): void {
      for (const { watch } of subscriptions.values()) watch.onTransaction?.(info);
      notifyOfChanges();
    },
    /** Adds a subscription. @returns its id */
    add(socket: WebSocket, name: string, watch: Watch): number {
      const socketCount = [...subscriptions.values()].filter((subscription) => subscription.socket === socket).length;
      if (socketCount >= MAX_SUBSCRIPTIONS)
        refuseParams(`A connection holds at most ${MAX_SUBSCRIPTIONS} subscriptions`);
      lastId++;
      subscriptions.set(lastId, { id: lastId, socket, name, watch });
      return lastId;
    },
    /** Removes a subscription. @throws RpcError -32602 when this connection has no such subscription */
    remove(socket: WebSocket, name: string, id: number): true {
      const subscription = subscriptions.get(id);
      if (subscription?.socket !== socket || subscription.name !== name) refuseParams("Invalid subscription id.");
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

/** Matches the methods that begin and end a subscription. */
const METHOD_PATTERN = /^([a-z]+)(Subscribe|Unsubscribe)$/;

function runMethod(
  chain: Chain,
  subscriptions: Subscriptions,
  socket: WebSocket,
  method: unknown,
  params: unknown[],
): Json {
  const [, name = "", action] = METHOD_PATTERN.exec(String(method)) ?? [];
  const startWatch = WATCHES.get(name);
  if (!startWatch) throw new RpcError(RPC_CODES.methodNotFound, "Method not found");
  if (action === "Subscribe") return subscriptions.add(socket, name, startWatch(chain, params));
  const id = parseWholeNumber(params[0], "subscription", 0, Number.MAX_SAFE_INTEGER);
  return subscriptions.remove(socket, name, id);
}

function answerMessage(chain: Chain, subscriptions: Subscriptions, socket: WebSocket, text: string): RpcAnswer | null {
  let request: unknown;
  try {
    request = JSON.parse(text);
  } catch {
    return toRpcFailure(null, RPC_CODES.parseError, "Parse error");
  }
  if (!isObject(request)) return toRpcFailure(null, RPC_CODES.invalidRequest, "Invalid request");
  // A message without an id expects no answer. Clients send such messages to keep the connection open.
  if (!("id" in request) && typeof request.method === "string") return null;
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
 * Opens the websocket beside the RPC port, on 127.0.0.1. Clients need it to confirm transactions and to watch wallets.
 * Rejects when the port is taken.
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
  const subscriptions = createSubscriptions();
  const { notifyOfChanges } = subscriptions;
  const unsubscribe = chain.onSignature(subscriptions.onTransaction);
  const timer = setInterval(notifyOfChanges, POLL_MS).unref();
  server.on("connection", (socket) => {
    socket.on("error", () => socket.terminate());
    socket.on("close", () => subscriptions.removeAll(socket));
    socket.on("message", (data) => {
      const answer = answerMessage(chain, subscriptions, socket, data.toString());
      if (answer) socket.send(encodeJson(answer));
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
