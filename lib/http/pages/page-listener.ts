import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createMemoryRateLimiter, type Runtime } from "../../deps";
import { PAGE_RATE_LIMIT } from "../../domain/limits";
import { AppError } from "../../errors";
import type { Clock } from "../../ports/clock";
import { findClientAddress } from "../client-address";
import { NodeIncomingRequest, sendResponse } from "../node-door";
import { respondError } from "../respond";
import { type Encoding, NOT_FOUND_PATH, type StoredFile, type StoredFiles } from "./stored-files";

interface PageRuntime {
  env: Pick<Runtime["env"], "CLIENT_IP">;
  deps: { clock: Pick<Clock, "now"> };
}

/** Creates the listener for everything outside /api. It answers from memory, without rendering or opening files. */
export function createPageListener(files: StoredFiles, { env, deps }: PageRuntime): RequestListener {
  const pageLimiter = createMemoryRateLimiter(deps.clock, { limit: PAGE_RATE_LIMIT });
  const countPageLoad = (request: IncomingMessage): void => {
    const address = findClientAddress(new NodeIncomingRequest(request, ""), env.CLIENT_IP);
    const { isAllowed, resetMs } = pageLimiter.take(address);
    const retryAfterSeconds = Math.max(1, resetMs / 1000);
    if (!isAllowed) throw new AppError("rate_limited", { message: TOO_MANY_PAGES_TEXT, retryAfterSeconds });
  };
  return (request, response) => {
    const path = readPath(request.url!);
    try {
      const file = files.get(path);
      const isAsset = file !== undefined && !isPage(file);
      if (!isAsset) countPageLoad(request);
      sendFile(request, response, isAsset ? file : findPage(files, path, request));
    } catch (error) {
      const requestId = randomUUID();
      sendResponse(request, response, respondError(error, requestId, { "x-request-id": requestId }));
    }
  };
}

/** Returns whether a file counts as a page: HTML, or the data that a navigation loads. Other files are assets. */
const isPage = ({ headers }: StoredFile) => /^text\/(html|x-component)/.test(headers["content-type"]!);

const TOO_MANY_PAGES_TEXT = `Too many pages: ${PAGE_RATE_LIMIT} a minute are allowed per address. Retry-After says when to go on.`;

/** Returns the path without the query and a trailing slash. */
function readPath(url: string): string {
  const rawPath = url.split(/[?#]/, 1)[0]!;
  const path = rawPath.endsWith("/") ? rawPath.slice(0, -1) : rawPath;
  // The same page shows any transaction. It reads the signature from the URL.
  return /^\/tx\/[^/]+$/.test(path) ? "/tx" : path || "/";
}

/** Returns the page, or its data when Next's router asks for it (`RSC: 1`). Falls back to the page for 404. */
function findPage(files: StoredFiles, path: string, { headers }: IncomingMessage): StoredFile {
  if (headers.rsc !== "1") return files.get(path) ?? files.get(NOT_FOUND_PATH)!;
  const fileName = path === "/" ? "/index" : path;
  const segment = headers["next-router-segment-prefetch"];
  const extension = headers["next-router-prefetch"] === "1" && segment ? `.segments${segment}.segment.rsc` : ".rsc";
  return files.get(fileName + extension) ?? files.get(`${NOT_FOUND_PATH}.rsc`)!;
}

function sendFile(request: IncomingMessage, response: ServerResponse, { status, headers, bodies }: StoredFile): void {
  const { method, headers: requestHeaders } = request;
  if (method !== "GET" && method !== "HEAD") throw new AppError("method_not_allowed", { allow: "GET, HEAD" });
  if (status === 200 && requestHeaders["if-none-match"]?.includes(headers.etag!)) {
    response.writeHead(304, headers).end();
    return;
  }
  const encoding = chooseEncoding(requestHeaders["accept-encoding"], bodies);
  const body = bodies[encoding]!;
  const encodingHeader = encoding === "identity" ? {} : { "content-encoding": encoding };
  response.writeHead(status, { ...headers, ...encodingHeader, "content-length": body.length });
  response.end(method === "HEAD" ? undefined : body);
}

/** Prefers brotli, then gzip. Splits the header instead of matching it: on hostile text, a pattern could backtrack for long. */
function chooseEncoding(acceptHeader: string | string[] = "", bodies: StoredFile["bodies"]): Encoding {
  const acceptedEncodings = String(acceptHeader).replace(/\s/g, "").toLowerCase().split(",");
  const isAccepted = (name: Encoding) =>
    acceptedEncodings.some((entry) => entry === name || (entry.startsWith(`${name};`) && !/;q=0(\.0*)?$/.test(entry)));
  return (["br", "gzip"] as const).find((name) => bodies[name] && isAccepted(name)) ?? "identity";
}
