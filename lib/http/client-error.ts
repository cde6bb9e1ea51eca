import { randomUUID } from "node:crypto";
import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { AppError } from "../errors";
import { COMMON } from "./respond";

/** So long a client that was refused may still send before it is cut off: cut at once, it could miss the answer. */
const LINGER_MS = 1_000;

/** By the code of Node's error. */
const REFUSALS: Record<string, AppError> = {
  HPE_HEADER_OVERFLOW: new AppError("headers_too_large"),
  ERR_HTTP_REQUEST_TIMEOUT: new AppError("request_timeout"),
};
const MALFORMED = new AppError("invalid_request", { message: "The request is not valid HTTP." });

/** Answers, in the envelope, what Node's HTTP server could not make a request of, and ends the connection. */
export function answerClientError(error: NodeJS.ErrnoException, duplex: Duplex): void {
  const socket = duplex as Socket & { _httpMessage?: ServerResponse | null };
  // What still comes after the refusal is no reason for another one.
  if (socket.writableEnded) return;
  const underWay = socket._httpMessage;
  if (underWay?.req.complete) closeAfter(underWay, socket);
  // A second head in the middle of an answer would be read as a part of it.
  else if (!socket.writable || underWay?.headersSent) socket.destroy();
  else endWith(refusal(REFUSALS[error.code ?? ""] ?? MALFORMED), socket);
}

/** The request under way is whole, so what is wrong came behind it: it gets its answer, and nothing after it is read. */
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

/** An HTTP/1.1 response as it goes over the wire. */
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
