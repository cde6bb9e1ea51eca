import { type WebSocket, WebSocketServer } from "ws";
import {
  type Chain,
  type Commitment,
  hasReached,
  type Json,
  RPC_CODES,
  RpcError,
  type SignatureInfo,
} from "../chain/types";
import { commitmentOf, configAt, invalid, isObject, signatureAt, wholeNumber } from "./params";
import { rpcFailure } from "./rpc";

const MAX_MESSAGE_BYTES = 64 * 1024;
/** Of one connection. */
const MAX_SUBSCRIPTIONS = 1000;
/** Milliseconds between looks at transactions that have to age before they are confirmed or finalized. */
const POLL_MS = 100;

interface Subscription {
  id: number;
  socket: WebSocket;
  signature: string;
  commitment: Commitment;
}

export interface SubscriptionServer {
  close(): void;
}

function notify(chain: Chain, { id, socket }: Subscription, info: SignatureInfo): void {
  const result = { context: { slot: chain.slot() }, value: { err: info.err } };
  socket.send(
    JSON.stringify({ jsonrpc: "2.0", method: "signatureNotification", params: { result, subscription: id } }),
  );
}

function createSubscriptions(chain: Chain) {
  const all = new Map<number, Subscription>();
  let lastId = 0;
  const check = (subscription: Subscription) => {
    const info = chain.signatureInfo(subscription.signature);
    if (!info || !hasReached(chain.commitmentOf(info), subscription.commitment)) return;
    // A signature notifies once; the subscription ends with it.
    all.delete(subscription.id);
    notify(chain, subscription, info);
  };
  const checkAll = () => {
    for (const subscription of all.values()) check(subscription);
  };
  return {
    checkAll,
    add(socket: WebSocket, signature: string, commitment: Commitment): number {
      const own = [...all.values()].filter((subscription) => subscription.socket === socket).length;
      if (own >= MAX_SUBSCRIPTIONS) invalid(`A connection holds at most ${MAX_SUBSCRIPTIONS} subscriptions`);
      lastId++;
      all.set(lastId, { id: lastId, socket, signature, commitment });
      return lastId;
    },
    /** @throws RpcError -32602 when there is none of this id on this connection */
    remove(socket: WebSocket, id: number): true {
      if (all.get(id)?.socket !== socket) invalid("Invalid subscription id.");
      all.delete(id);
      return true;
    },
    removeAll(socket: WebSocket) {
      for (const { id, socket: owner } of all.values()) if (owner === socket) all.delete(id);
    },
  };
}

type Subscriptions = ReturnType<typeof createSubscriptions>;

function call(subscriptions: Subscriptions, socket: WebSocket, method: unknown, params: unknown[]): Json {
  if (method === "signatureSubscribe") {
    return subscriptions.add(socket, signatureAt(params, 0), commitmentOf(configAt(params, 1)));
  }
  if (method === "signatureUnsubscribe") {
    return subscriptions.remove(socket, wholeNumber(params[0], "subscription", 0, Number.MAX_SAFE_INTEGER));
  }
  throw new RpcError(RPC_CODES.methodNotFound, "Method not found");
}

function answer(subscriptions: Subscriptions, socket: WebSocket, text: string): Json {
  let request: unknown;
  try {
    request = JSON.parse(text);
  } catch {
    return rpcFailure(null, RPC_CODES.parseError, "Parse error") as Json;
  }
  if (!isObject(request)) return rpcFailure(null, RPC_CODES.invalidRequest, "Invalid request") as Json;
  const id = typeof request.id === "string" || typeof request.id === "number" ? request.id : null;
  try {
    const params = Array.isArray(request.params) ? request.params : [];
    return { jsonrpc: "2.0", id, result: call(subscriptions, socket, request.method, params) };
  } catch (error) {
    if (error instanceof RpcError) return rpcFailure(id, error.code, error.message) as Json;
    throw error;
  }
}

/**
 * The websocket beside the RPC port, with signatureSubscribe and signatureUnsubscribe: without it web3.js's
 * confirmTransaction never resolves.
 * @returns once it listens on 127.0.0.1. Rejects when the port is taken
 */
export async function openSubscriptions(
  chain: Chain,
  port: number,
  allowOrigin: (origin: string | undefined) => boolean,
): Promise<SubscriptionServer> {
  const server = new WebSocketServer({
    host: "127.0.0.1",
    port,
    maxPayload: MAX_MESSAGE_BYTES,
    verifyClient: ({ origin }: { origin?: string }) => allowOrigin(origin),
  });
  await new Promise<void>((resolve, reject) => {
    server.once("listening", resolve);
    server.once("error", reject);
  });
  const subscriptions = createSubscriptions(chain);
  const unsubscribe = chain.onSignature(subscriptions.checkAll);
  const timer = setInterval(subscriptions.checkAll, POLL_MS).unref();
  server.on("connection", (socket) => {
    socket.on("error", () => socket.terminate());
    socket.on("close", () => subscriptions.removeAll(socket));
    socket.on("message", (data) => {
      socket.send(JSON.stringify(answer(subscriptions, socket, data.toString())));
      subscriptions.checkAll();
    });
  });
  return {
    close() {
      clearInterval(timer);
      unsubscribe();
      for (const socket of server.clients) socket.terminate();
      server.close();
    },
  };
}
