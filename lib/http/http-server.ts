import { randomUUID } from "node:crypto";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { AppError } from "../errors";
import { stampAddress } from "./client-address";
import { COMMON_HEADERS, encodeFailure } from "./respond";

const UNKNOWN_PATH = "/api/nowhere";

interface HttpServerOptions {
  /** The listener of /api. Null when Next serves /api too. */
  serveApi: RequestListener | null;
  servePage: RequestListener;
  isEnding: () => boolean;
  timeLimits?: typeof TIME_LIMITS;
}

/** Time limits of the server, ms. Their names are those of node:http. */
const TIME_LIMITS = {
  /** Load balancers reuse an idle connection for 60 s. A server that closes it first would lose some requests. */
  keepAliveTimeout: 65_000,
  /** With the check interval and LINGER_MS, no client holds a socket longer than 30 s. */
  requestTimeout: 24_000,
  connectionsCheckingInterval: 4_000,
};

/**
 * Creates the HTTP server of the process. It stamps every request with its client's address and brings its target into
 * origin form. Requests to /api go to `serveApi`, if there is one, and all others to `servePage`.
 */
export function createHttpServer(options: HttpServerOptions): Server {
  const { serveApi, servePage, isEnding, timeLimits = TIME_LIMITS } = options;
  const handleRequest: RequestListener = (request, response) => {
    if (isEnding()) response.shouldKeepAlive = false;
    stampAddress(request);
    useOriginForm(request);
    // A target that is not a path has no page. Next would fail on some, and redirect others to a host named in the
    // target.
    if (!/^\/(?!\/)/.test(request.url!)) request.url = UNKNOWN_PATH;
    if (serveApi && /^\/api(?:[/?]|$)/.test(request.url!)) {
      makeUrlParseable(request);
      serveApi(request, response);
    } else servePage(request, response);
  };
  // Host is not required: no answer depends on it, and the probes of some load balancers do not send it.
  const server = createServer({ requireHostHeader: false, ...timeLimits }, handleRequest);
  // An unknown Expect may be ignored (RFC 9110, 10.1.1). Node would answer it with an empty 417.
  server.on("checkExpectation", handleRequest);
  server.on("clientError", answerClientError);
  return server;
}

const SWEEP_MS = 50;

/** Stops accepting connections, and resolves when the last answer has been sent. */
export async function drainServer(server: Server): Promise<void> {
  const closing = new Promise((resolve) => server.close(resolve));
  // server.close() ends the connections that are idle now. The others would stay open for their keep-alive time.
  const sweepTimer = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  await closing;
  clearInterval(sweepTimer);
}

/**
 * Rewrites the target that a proxy receives, `GET http://host/path`, to `GET /path` with that host. Every server must
 * accept that form (RFC 9112, 3.2.2). Other targets that are not a path, such as `*`, stay unchanged.
 */
function useOriginForm(request: IncomingMessage): void {
  const target = request.url!;
  if (target.startsWith("/")) return;
  const [, authority, path] = /^https?:\/\/([^/?#]+)([^#]*)/i.exec(target) ?? [];
  if (authority === undefined || path === undefined) return;
  request.url = path.startsWith("/") ? path : `/${path}`;
  request.headers.host = authority.slice(authority.lastIndexOf("@") + 1);
}

/** Makes the request's URL parseable, whatever the client sends. The API reads only the URL's path and query. */
function makeUrlParseable(request: IncomingMessage): void {
  request.headers.host = "localhost";
  // URL would read a backslash as a slash.
  if (request.url!.includes("\\")) request.url = request.url!.replaceAll("\\", "%5C");
}

/** How long a refused client may go on sending, ms. If it were disconnected at once, it could miss the answer. */
const LINGER_MS = 1_000;

const ERROR_BY_NODE_CODE: Record<string, AppError> = {
  HPE_HEADER_OVERFLOW: new AppError("headers_too_large"),
  ERR_HTTP_REQUEST_TIMEOUT: new AppError("request_timeout"),
};
const MALFORMED_REQUEST = new AppError("invalid_request", { message: "The request is not valid HTTP." });

/** Answers input that Node could not parse into a request, in the API's error envelope, and ends the connection. */
function answerClientError(error: NodeJS.ErrnoException, duplex: Duplex): void {
  // Node keeps the response that a socket is sending in this undocumented member.
  const socket = duplex as Socket & { _httpMessage?: ServerResponse | null };
  // The refusal has been sent already; later input needs no second one.
  if (socket.writableEnded) return;
  const pendingResponse = socket._httpMessage;
  if (pendingResponse?.req.complete) closeAfterResponse(pendingResponse, socket);
  // After the headers of an answer, the client would read a second head as part of its body.
  else if (!socket.writable || pendingResponse?.headersSent) socket.destroy();
  else sendAndClose(encodeRefusal(ERROR_BY_NODE_CODE[error.code ?? ""] ?? MALFORMED_REQUEST), socket);
}

/** Closes the connection after the pending answer. Its request is complete, so the malformed input came after it. */
function closeAfterResponse(response: ServerResponse, socket: Socket): void {
  if (!response.shouldKeepAlive) return;
  response.shouldKeepAlive = false;
  response.once("finish", () => socket.destroySoon());
}

function sendAndClose(responseText: string, socket: Socket): void {
  socket.end(responseText);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once("close", () => clearTimeout(timer));
}

function encodeRefusal(error: AppError): string {
  const requestId = randomUUID();
  const body = encodeFailure(error, requestId);
  const headers = Object.entries({
    ...COMMON_HEADERS,
    "cache-control": "no-store",
    "x-request-id": requestId,
    date: new Date().toUTCString(),
    connection: "close",
    "content-length": Buffer.byteLength(body),
  });
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`, ...lines, "", body].join("\r\n");
}
