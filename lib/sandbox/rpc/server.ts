import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type MarketHandler, RPC_CODES } from "../chain/types";
import { answerRpc, encodeJson, toRpcFailure } from "./answer-rpc";
import type { RpcContext } from "./context";
import { openSubscriptions } from "./websocket";

const MAX_BODY_BYTES = 1024 * 1024;
/** Number of free pairs of ports to try when the preferred pair is taken. */
const PORT_ATTEMPTS = 20;
/** The server reads an oversized body up to this size, so that the caller gets the 413. */
const MAX_DISCARDED_BYTES = 32 * MAX_BODY_BYTES;

export type SandboxServer = Awaited<ReturnType<typeof openPortPair>>;

/** An answer over HTTP. */
interface Reply {
  status: number;
  body: string;
  /** Default: application/json. */
  contentType?: string;
}

/**
 * Stands between the callers and the server, for tests.
 * @param request the path, and for a POST the JSON-RPC body
 * @param serve returns the server's own reply. The context replaces the server's
 */
export type Middleware = (
  request: { path: string; body?: unknown },
  context: RpcContext,
  serve: (context: RpcContext) => Promise<Reply>,
) => Promise<Reply>;

interface SandboxServerOptions {
  context: RpcContext;
  /** Default: none. */
  middleware?: Middleware;
  /** Null for a chain without a market, whose paths answer 404. */
  market: MarketHandler | null;
  /** Preferred port. The server uses it and the next port if both are free, else any pair. 0: any pair. */
  port: number;
  /** Fails instead of using another pair of ports. */
  requiresExactPort?: boolean;
  /** Called with failures that are bugs of the sandbox. */
  reportError: (error: unknown) => void;
}

/** Returns whether the origin is local. Other web sites must not reach the local chain through a visitor's browser. */
function isLocalOrigin(origin: string | undefined): boolean {
  if (origin === undefined) return true;
  return URL.canParse(origin) && ["localhost", "127.0.0.1", "[::1]"].includes(new URL(origin).hostname);
}

function sendReply(response: ServerResponse, { status, body, contentType = "application/json" }: Reply): void {
  if (response.destroyed) return;
  response.writeHead(status, { "content-type": contentType, "content-length": Buffer.byteLength(body) });
  response.end(body);
}

const toReply = (status: number, value: unknown): Reply => ({ status, body: encodeJson(value) });

/** Reads the request body. @returns null when it exceeds MAX_BODY_BYTES */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let byteCount = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    byteCount += chunk.length;
    if (byteCount > MAX_DISCARDED_BYTES) request.destroy();
    else if (byteCount <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  if (byteCount > MAX_BODY_BYTES) return null;
  return Buffer.concat(chunks).toString("utf8");
}

const callDirectly: Middleware = (_, context, serve) => serve(context);

async function servePost({ context, middleware = callDirectly, reportError }: SandboxServerOptions, text: string) {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return toReply(200, toRpcFailure(null, RPC_CODES.parseError, "Parse error"));
  }
  return middleware({ path: "/", body }, context, async (servedContext) => {
    const answer = await answerRpc(servedContext, body, reportError);
    return answer === null ? { status: 200, body: "" } : toReply(200, answer);
  });
}

async function serveGet({ context, market, middleware = callDirectly }: SandboxServerOptions, url: URL) {
  if (url.pathname === "/health") return { status: 200, body: "ok", contentType: "text/plain" };
  return middleware({ path: url.pathname }, context, async () => {
    if (!market) return toReply(404, { error: "Not found" });
    const { status, body } = await market.handle(url);
    return toReply(status, body);
  });
}

/** Answers a request of a method that the server knows; null for another method. */
async function replyTo(options: SandboxServerOptions, request: IncomingMessage): Promise<Reply | null> {
  if (request.method === "OPTIONS") return { status: 200, body: "" };
  if (request.method === "GET") return serveGet(options, new URL(request.url ?? "/", "http://127.0.0.1"));
  if (request.method !== "POST") return null;
  const text = await readBody(request);
  if (text === null) return toReply(413, toRpcFailure(null, RPC_CODES.invalidRequest, "Request larger than 1 MiB"));
  return servePost(options, text);
}

async function serveRequest(
  options: SandboxServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { origin } = request.headers;
  response.setHeader("x-sandbox", "true");
  if (!isLocalOrigin(origin)) return sendReply(response, toReply(403, { error: "Only local pages may use this" }));
  if (origin !== undefined) {
    response.setHeader("access-control-allow-origin", origin);
    response.setHeader("access-control-allow-headers", "content-type, solana-client");
    response.setHeader("vary", "origin");
  }
  try {
    const reply = await replyTo(options, request);
    if (!reply) response.setHeader("allow", "GET, POST, OPTIONS");
    sendReply(response, reply ?? toReply(405, { error: "Method not allowed" }));
  } catch (error) {
    // The caller disconnected, which is not a failure of the sandbox.
    if (!request.complete) return;
    options.reportError(error);
    if (!response.headersSent)
      sendReply(response, toReply(500, toRpcFailure(null, RPC_CODES.internal, "Internal error")));
  }
}

/** Opens the RPC on `port` (0: any) and the websocket one port above. Rejects when either port is taken. */
async function openPortPair(options: SandboxServerOptions, port: number) {
  const server = createServer((request, response) => void serveRequest(options, request, response));
  // Only the client closes an idle connection. Otherwise a client could write to a connection that is being closed.
  server.keepAliveTimeout = 0;
  await once(server.listen(port, "127.0.0.1"), "listening");
  const { port: boundPort } = server.address() as AddressInfo;
  server.on("error", options.reportError);
  try {
    const { context, reportError } = options;
    const subscriptions = await openSubscriptions(context.chain, boundPort + 1, isLocalOrigin, reportError);
    return {
      /** URL of the RPC, such as http://127.0.0.1:8899. The websocket is one port above. */
      url: `http://127.0.0.1:${boundPort}`,
      async close(): Promise<void> {
        subscriptions.close();
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  } catch (error) {
    server.close();
    throw error;
  }
}

/**
 * Serves the chain (JSON-RPC, POST) and the market (GET) on 127.0.0.1, with the websocket one port above.
 * @throws {Error} with a sentence when no pair of ports is available
 */
export async function openServer(options: SandboxServerOptions): Promise<SandboxServer> {
  const { port, requiresExactPort = false } = options;
  const candidatePorts: number[] = requiresExactPort ? [port] : [port, ...Array(PORT_ATTEMPTS).fill(0)];
  let cause: unknown;
  for (const candidatePort of candidatePorts) {
    try {
      return await openPortPair(options, candidatePort);
    } catch (error) {
      cause = error;
    }
  }
  const portsText = requiresExactPort ? `Ports ${port} and ${port + 1}` : "A pair of ports";
  throw new Error(`${portsText} on 127.0.0.1 cannot be opened for the sandbox; other processes may be using them.`, {
    cause,
  });
}
