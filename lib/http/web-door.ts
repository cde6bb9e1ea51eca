import { type IncomingRequest, MAX_DISCARDED_BYTES, type OutgoingResponse } from "./message";

/** Converts a fetch Request, as Next passes it to a handler. */
export function toIncoming(request: Request): IncomingRequest {
  const { method, headers } = request;
  return {
    method,
    search: new URL(request.url).search,
    headers,
    readBody: (limit) => readBody(request, limit),
  };
}

/** Creates a fetch Response. HEAD has no body. */
export function toResponse(method: string, { status, headers, body }: OutgoingResponse): Response {
  return new Response(method === "HEAD" ? null : body, { status, headers });
}

async function readBody(request: Request, limit: number): Promise<Uint8Array | null> {
  const reader = request.body?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { value } = (await reader?.read()) ?? {};
    if (!value) return Buffer.concat(chunks);
    size += value.length;
    if (size > limit) {
      void discardRest(reader!);
      return null;
    }
    chunks.push(value);
  }
}

/** Discards the rest of the body. Unread, it would block the next request on the connection, maybe another caller's. */
async function discardRest(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    for (let size = 0; size < MAX_DISCARDED_BYTES; ) {
      const { value } = await reader.read();
      if (!value) return;
      size += value.length;
    }
    await reader.cancel();
  } catch {
    // The caller has disconnected, and no code waits for the result.
  }
}
