import { createServer, request as httpRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http";
import { buffer } from "node:stream/consumers";
import { closeServer, listenOnFreePort } from "./listen";

interface ProxyRequest {
  method: string;
  /** Path and query as sent. */
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface ProxyAnswer {
  status: number;
  headers: OutgoingHttpHeaders;
  body: Buffer | string;
}

/** Sends the request to the target. @param headers replace the headers of the request */
type Forward = (headers?: OutgoingHttpHeaders) => Promise<ProxyAnswer>;

/**
 * Starts a proxy in front of a server. It reads each request whole, as front proxies do. An early answer to a half-sent
 * request could be lost in transit.
 * @param handle returns the answer to a request, or null to close its connection without one
 */
export async function startProxy(
  target: string,
  handle: (request: ProxyRequest, forward: Forward) => Promise<ProxyAnswer | null>,
): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer(async (incoming, outgoing) => {
    const { method = "GET", url: path = "/", headers } = incoming;
    try {
      const request = { method, path, headers, body: await buffer(incoming) };
      const answer = await handle(request, (newHeaders = headers) =>
        forward(target, { ...request, headers: newHeaders }),
      );
      if (answer) outgoing.writeHead(answer.status, answer.headers).end(answer.body);
      else incoming.socket.destroy();
    } catch {
      incoming.socket.destroy();
    }
  });
  return { url: await listenOnFreePort(server), stop: () => closeServer(server) };
}

/** Sends a request to the target. @throws Error when the target closes the connection */
function forward(
  target: string,
  { method, path, headers, body }: Omit<ProxyRequest, "headers"> & { headers: OutgoingHttpHeaders },
): Promise<ProxyAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(target + path, { method, headers });
    outgoing.on("error", reject);
    outgoing.on("response", (answer) => {
      const { statusCode = 502, headers } = answer;
      buffer(answer).then((body) => resolve({ status: statusCode, headers, body }), reject);
    });
    outgoing.end(body);
  });
}
