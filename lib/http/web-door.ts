import { type IncomingRequest, MAX_DISCARDED_BYTES, type OutgoingResponse } from "./message";

export function toIncomingRequest(request: Request): IncomingRequest {
  const { method, headers } = request;
  return {
    method,
    search: new URL(request.url).search,
    headers,
    readBody: (maxBytes) => readBody(request, maxBytes),
  };
}

export function toFetchResponse(method: string, { status, headers, body }: OutgoingResponse): Response {
  return new Response(method === "HEAD" ? null : body, { status, headers });
}

async function readBody(request: Request, maxBytes: number): Promise<Uint8Array | null> {
  const reader = request.body?.getReader();
  const chunks: Uint8Array[] = [];
  let receivedBytes = 0;
  for (;;) {
    const { value } = (await reader?.read()) ?? {};
    if (!value) return Buffer.concat(chunks);
    receivedBytes += value.length;
    if (receivedBytes > maxBytes) {
      void discardRemainingBody(reader!);
      return null;
    }
    chunks.push(value);
  }
}

/** Discards the remaining body. Unread, it would block the next request on the connection, maybe another caller's. */
async function discardRemainingBody(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    for (let receivedBytes = 0; receivedBytes < MAX_DISCARDED_BYTES; ) {
      const { value } = await reader.read();
      if (!value) return;
      receivedBytes += value.length;
    }
    await reader.cancel();
  } catch {
    // The caller has disconnected, and no code waits for the result.
  }
}
