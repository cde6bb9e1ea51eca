import type { IncomingMessage, ServerResponse } from "node:http";
import { type IncomingRequest, MAX_DISCARDED_BYTES, type OutgoingResponse, type RequestHeaders } from "./message";

/** A request of node:http, read without a fetch Request or a stream. A class, so that a request creates no closures. */
export class NodeIncomingRequest implements IncomingRequest, RequestHeaders {
  constructor(
    private readonly request: IncomingMessage,
    readonly search: string,
  ) {}

  get method(): string {
    return this.request.method!;
  }

  get headers(): RequestHeaders {
    return this;
  }

  get(name: string): string | null {
    const value = this.request.headers[name];
    return value === undefined ? null : typeof value === "string" ? value : value.join(", ");
  }

  readBody(maxBytes: number): Promise<Uint8Array | null> {
    return readBody(this.request, maxBytes);
  }
}

/**
 * Sends an answer. Head and body go out in one write. If the request is still arriving, the answer ends after it: Node
 * closes some connections at the end of an answer, and a client that is still sending would get a reset.
 */
export function sendResponse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: OutgoingResponse,
): void {
  const headerList: string[] = [];
  for (const name in headers) headerList.push(name, headers[name]!);
  if (body !== null) headerList.push("content-length", String(Buffer.byteLength(body)));
  response.writeHead(status, headerList);
  const sentBody = request.method === "HEAD" ? null : body;
  if (request.complete) {
    response.end(sentBody);
    return;
  }
  if (sentBody === null) response.flushHeaders();
  else response.write(sentBody);
  request.once("end", () => response.end());
  discardRemainingBody(request);
}

async function readBody(request: IncomingMessage, maxBytes: number): Promise<Uint8Array | null> {
  // The client may have disconnected while the credentials were checked. No event will report it any more.
  if (request.destroyed) throw new Error("the client left");
  if (!request.complete) return readArrivingBody(request, maxBytes);
  // The request has arrived completely, as a small body does together with its head. Listeners would cost 7 µs more.
  const body: Uint8Array = request.read() ?? new Uint8Array();
  return body.length > maxBytes ? null : body;
}

function readArrivingBody(request: IncomingMessage, maxBytes: number): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let receivedBytes = 0;
    const takeChunk = (chunk: Uint8Array) => {
      receivedBytes += chunk.length;
      if (receivedBytes <= maxBytes) return void chunks.push(chunk);
      request.off("data", takeChunk);
      request.pause();
      resolve(null);
    };
    request.on("data", takeChunk);
    request.once("end", () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    request.once("error", reject);
    // `close` also follows `end`. Creating the error takes microseconds, so check first.
    request.once("close", () => {
      if (!request.readableEnded) reject(new Error("the client left"));
    });
  });
}

/** Discards the remaining body. Unread, it would block the next request on the connection, maybe another caller's. */
function discardRemainingBody(request: IncomingMessage): void {
  let receivedBytes = 0;
  request.on("data", (chunk: Uint8Array) => {
    receivedBytes += chunk.length;
    if (receivedBytes > MAX_DISCARDED_BYTES) request.destroy();
  });
  request.resume();
}
