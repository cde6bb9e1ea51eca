import { type Incoming, MAX_DISCARDED_BYTES, type Outgoing } from "./message";

/** The door of Next and of whatever else speaks fetch. */
export function incomingOf(request: Request): Incoming {
  const { method, headers } = request;
  return {
    method,
    search: new URL(request.url).search,
    headers,
    readBody: (limit) => readBody(request, limit),
  };
}

export function responseOf(method: string, { status, headers, body }: Outgoing): Response {
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

/** An unread rest would keep the next request on the same connection, another caller's perhaps, from being read. */
async function discardRest(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    for (let size = 0; size < MAX_DISCARDED_BYTES; ) {
      const { value } = await reader.read();
      if (!value) return;
      size += value.length;
    }
    await reader.cancel();
  } catch {
    // The caller is gone; nobody waits for this.
  }
}
