import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type MarketHandler, RPC_CODES } from "../chain/types";
import { answerRpc, LOST_ANSWER, toRpcFailure } from "./answer-rpc";
import type { RpcContext } from "./context";
import { encodeJson } from "./encode-json";
import { isObject } from "./params";
import { openSubscriptions } from "./websocket";

const MAX_BODY_BYTES = 1024 * 1024;
/** Number of free pairs of ports to try when the preferred pair is taken. */
const PORT_ATTEMPTS = 20;
/**
 * The server reads an oversized body up to this size, so that the caller gets the 413. Then it closes the connection.
 */
const MAX_DISCARDED_BYTES = 32 * MAX_BODY_BYTES;
/** Longer than web3.js keeps an idle connection (19 s), so that web3.js never writes to a closing connection. */
const KEEP_ALIVE_MS = 30_000;

export interface SandboxServer {
  /** URL of the RPC, such as http://127.0.0.1:8899. The websocket is one port above. */
  url: string;
  close(): Promise<void>;
}

interface SandboxServerOptions {
  context: RpcContext;
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

function sendReply(response: ServerResponse, status: number, body: string, contentType = "application/json"): void {
  if (response.destroyed) return;
  response.writeHead(status, { "content-type": contentType, "content-length": Buffer.byteLength(body) });
  response.end(body);
}

const sendJson = (response: ServerResponse, status: number, value: unknown) =>
  sendReply(response, status, JSON.stringify(value));

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

/** Returns the names of the methods that a JSON-RPC body calls. */
function listMethods(body: unknown): string[] {
  const calls = Array.isArray(body) ? body : [body];
  return calls.flatMap((call) => (isObject(call) && typeof call.method === "string" ? [call.method] : []));
}

/** Applies the fault that is set for these targets. @returns whether the fault answered the request */
async function applyFault({ context }: SandboxServerOptions, response: ServerResponse, targets: string[]) {
  // Faults never apply to sandbox_ methods. Otherwise a fault on "*" could not be removed.
  const fault = context.faults.findFault(targets.filter((target) => !target.startsWith("sandbox_")));
  if (!fault) return false;
  if (fault.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, fault.delayMs).unref());
  if (fault.mode === "error") {
    sendJson(response, 500, toRpcFailure(null, RPC_CODES.internal, "Internal error"));
  } else if (fault.mode === "garbage") {
    sendReply(response, 200, "<html>not JSON</html>", "text/html");
  }
  return fault.mode !== "slow";
}

async function servePost(options: SandboxServerOptions, request: IncomingMessage, response: ServerResponse) {
  const text = await readBody(request);
  if (text === null) {
    return sendJson(response, 413, toRpcFailure(null, RPC_CODES.invalidRequest, "Request larger than 1 MiB"));
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return sendJson(response, 200, toRpcFailure(null, RPC_CODES.parseError, "Parse error"));
  }
  if (await applyFault(options, response, listMethods(body))) return;
  const answer = await answerRpc(options.context, body, options.reportError);
  if (answer === LOST_ANSWER) return void request.socket.destroy();
  sendReply(response, 200, answer === null ? "" : encodeJson(answer));
}

async function serveGet(options: SandboxServerOptions, request: IncomingMessage, response: ServerResponse) {
  const url = new URL(request.url ?? "/", "http://127.0.0.1");
  if (url.pathname === "/health") return sendReply(response, 200, "ok", "text/plain");
  if (await applyFault(options, response, [url.pathname])) return;
  if (!options.market) return sendJson(response, 404, { error: "Not found" });
  const { status, body } = await options.market.handle(url);
  sendJson(response, status, body);
}

async function serveRequest(
  options: SandboxServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { origin } = request.headers;
  response.setHeader("x-sandbox", "true");
  if (!isLocalOrigin(origin)) return sendJson(response, 403, { error: "Only local pages may use this" });
  if (origin !== undefined) {
    response.setHeader("access-control-allow-origin", origin);
    response.setHeader("access-control-allow-headers", "content-type, solana-client");
    response.setHeader("vary", "origin");
  }
  try {
    if (request.method === "OPTIONS") return sendReply(response, 200, "");
    if (request.method === "POST") return await servePost(options, request, response);
    if (request.method === "GET") return await serveGet(options, request, response);
    response.setHeader("allow", "GET, POST, OPTIONS");
    sendJson(response, 405, { error: "Method not allowed" });
  } catch (error) {
    // The caller disconnected, which is not a failure of the sandbox.
    if (!request.complete) return;
    options.reportError(error);
    if (!response.headersSent) sendJson(response, 500, toRpcFailure(null, RPC_CODES.internal, "Internal error"));
  }
}

/** Opens the RPC on `port` (0: any) and the websocket one port above. Rejects when either port is taken. */
async function openPortPair(options: SandboxServerOptions, port: number): Promise<SandboxServer> {
  const server = createServer((request, response) => void serveRequest(options, request, response));
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await once(server.listen(port, "127.0.0.1"), "listening");
  const { port: boundPort } = server.address() as AddressInfo;
  server.on("error", options.reportError);
  try {
    const { context, reportError } = options;
    const subscriptions = await openSubscriptions(context.chain, boundPort + 1, isLocalOrigin, reportError);
    return {
      url: `http://127.0.0.1:${boundPort}`,
      async close() {
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
