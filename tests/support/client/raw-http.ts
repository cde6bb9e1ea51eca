import { type Agent, request } from "node:http";
import { text as readText } from "node:stream/consumers";
import { type Answer, checkAnswerOfApp, createCallerAddress, record, resolveTarget } from "./client";

export interface RawOptions {
  headers?: Record<string, string>;
  /** The parts of the body, sent one after the other. The body is chunked unless content-length is set. */
  chunks?: (string | Uint8Array)[];
  /** The caller's address; null sends no address header. */
  address?: string | null;
  /** Reuses one connection for several requests. Default: a new connection for each request. */
  agent?: Agent;
}

/** Sends a request that fetch would refuse or normalize: any method, an unchanged path, or a body without a length. */
export function rawCall(method: string, path: string, options: RawOptions = {}): Promise<Answer> {
  const { headers = {}, chunks = [], address = createCallerAddress(), agent } = options;
  const { base, addressHeader } = resolveTarget(address ?? "");
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const outgoing = request({
      hostname,
      port,
      method,
      path,
      headers: { ...(address !== null && addressHeader), ...headers },
      agent: agent ?? false,
    });
    outgoing.on("response", async (incoming) => {
      try {
        const text = await readText(incoming);
        record("responses.txt", text);
        const headers = new Headers();
        for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value));
        if (!agent) outgoing.destroy();
        const isJson = headers.get("content-type")?.includes("json") && text;
        const answer = { status: incoming.statusCode ?? 0, headers, text, body: isJson ? JSON.parse(text) : null };
        checkAnswerOfApp(method, path, answer);
        resolve(answer);
      } catch (error) {
        reject(error);
      }
    });
    // A server that has answered may close the connection before it has read the whole body.
    outgoing.on("error", reject);
    for (const chunk of chunks) outgoing.write(chunk);
    outgoing.end();
  });
}
