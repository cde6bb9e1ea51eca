import { randomUUID } from "node:crypto";
import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { AppError } from "../errors";
import { COMMON } from "./respond";

/**
 * How long a refused client may go on sending before it is disconnected, ms. Disconnected at once, it could miss the
 * answer.
 */
const LINGER_MS = 1_000;

/** The answer for each code of Node's error. */
const REFUSALS: Record<string, AppError> = {
  HPE_HEADER_OVERFLOW: new AppError("headers_too_large"),
  ERR_HTTP_REQUEST_TIMEOUT: new AppError("request_timeout"),
};
const MALFORMED = new AppError("invalid_request", { message: "The request is not valid HTTP." });

/**
 * Answers input that Node's HTTP server could not parse into a request, in the API's error envelope, and ends the
 * connection.
 */
export function answerClientError(error: NodeJS.ErrnoException, duplex: Duplex): void {
  const socket = duplex as Socket & { _httpMessage?: ServerResponse | null };
  // The refusal has been sent already; later input needs no second one.
  if (socket.writableEnded) return;
  const pending = socket._httpMessage;
  if (pending?.req.complete) closeAfter(pending, socket);
  // After the headers of an answer, the client would read a second head as part of its body.
  else if (!socket.writable || pending?.headersSent) socket.destroy();
  else endWith(refusal(REFUSALS[error.code ?? ""] ?? MALFORMED), socket);
}

/**
 * Lets the pending answer finish, then closes the connection. Its request is complete, so the malformed input came
 * after it.
 */
function closeAfter(response: ServerResponse, socket: Socket): void {
  if (!response.shouldKeepAlive) return;
  response.shouldKeepAlive = false;
  response.once("finish", () => socket.destroySoon());
}

function endWith(response: string, socket: Socket): void {
  socket.end(response);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once("close", () => clearTimeout(timer));
}

/** Returns a complete HTTP/1.1 response as text. */
function refusal({ status, code, message: error }: AppError): string {
  const requestId = randomUUID();
  const body = JSON.stringify({ ok: false, error, code, requestId });
  const headers = Object.entries({
    ...COMMON,
    "cache-control": "no-store",
    "x-request-id": requestId,
    date: new Date().toUTCString(),
    connection: "close",
    "content-length": Buffer.byteLength(body),
  });
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, "", body].join("\r\n");
}
