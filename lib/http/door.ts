import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { stampAddress } from "./client-address";
import { answerClientError } from "./client-error";

/** A path at which the API says 404. */
const NOWHERE = "/api/nowhere";

interface Doors {
  /** null: Next serves /api too. */
  serveApi: RequestListener | null;
  servePage: RequestListener;
  /** From then on an answer is the last one on its connection. */
  isEnding: () => boolean;
  limits?: typeof LIMITS;
}

/** ms */
const LIMITS = {
  /** Load balancers reuse an idle connection for 60 s: were this end the first to close it, some request would be lost. */
  keepAliveTimeout: 65_000,
  /** For a request to arrive whole. With the interval of looking and the farewell, nobody holds a socket longer than 30 s. */
  requestTimeout: 24_000,
  connectionsCheckingInterval: 4_000,
};

/** The HTTP server of the process: every request stamped with its address and in origin-form, /api through its own door. */
export function createDoor({ serveApi, servePage, isEnding, limits = LIMITS }: Doors): Server {
  const listener: RequestListener = (request, response) => {
    if (isEnding()) response.shouldKeepAlive = false;
    stampAddress(request);
    useOriginForm(request);
    // What is no path has no page either; Next would fail on some and redirect others to a host that they name.
    if (!/^\/(?!\/)/.test(request.url!)) request.url = NOWHERE;
    if (serveApi && /^\/api(?:[/?]|$)/.test(request.url!)) {
      makeUrlCertain(request);
      serveApi(request, response);
    } else servePage(request, response);
  };
  // No answer depends on Host, and whoever sends none (a load balancer's probe) is answered and counted like anybody.
  const server = createServer({ requireHostHeader: false, ...limits }, listener);
  // An unknown Expect may be ignored (RFC 9110, 10.1.1); Node's own answer to it would be an empty 417.
  server.on("checkExpectation", listener);
  server.on("clientError", answerClientError);
  return server;
}

/** How often connections that have become idle are closed, ms. */
const SWEEP_MS = 50;

/** Takes no new connection, and resolves when the last answer has gone out. */
export async function drain(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  // Node closes those that are idle now; the others would stay until their keep-alive has passed.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  await closed;
  clearInterval(sweep);
}

/**
 * What a proxy is sent, `GET http://host/path`, every server has to take as `GET /path` to that host, whatever the Host
 * header says (RFC 9112, 3.2.2). Other targets that are no path, `*` of OPTIONS say, stay as they are.
 */
function useOriginForm(request: IncomingMessage): void {
  const target = request.url!;
  if (target.startsWith("/")) return;
  const [, authority, path] = /^https?:\/\/([^/?#]+)([^#]*)/i.exec(target) ?? [];
  if (authority === undefined || path === undefined) return;
  request.url = path.startsWith("/") ? path : `/${path}`;
  request.headers.host = authority.slice(authority.lastIndexOf("@") + 1);
}

/** The API reads only path and query of its URL, so nothing a client sends may keep them from being one. */
function makeUrlCertain(request: IncomingMessage): void {
  request.headers.host = "localhost";
  // URL would read a backslash as a slash.
  if (request.url!.includes("\\")) request.url = request.url!.replaceAll("\\", "%5C");
}
