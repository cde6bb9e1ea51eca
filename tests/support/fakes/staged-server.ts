import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeEach } from "vitest";
import { closeServer, listenOnFreePort } from "../app/listen";

interface StagedRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage["headers"];
  body: string;
}

/** Answers a request, or stages a fault of an upstream. */
export type Stage = (request: StagedRequest, response: ServerResponse) => void;

export interface StagedServer {
  url: string;
  /** All received requests, in order. */
  requests: StagedRequest[];
  /** Answers the next requests. A test may replace it. */
  stage: Stage;
  close(): Promise<void>;
}

/** Starts a real HTTP server on a free local port, which imitates any upstream, or any of its faults. */
export async function startStagedServer(stage: Stage = leaveUnanswered): Promise<StagedServer> {
  const server = createServer(async (request, response) => {
    const { pathname: path, searchParams: query } = new URL(request.url ?? "/", "http://staged.invalid");
    const { headers, method = "" } = request;
    const body = await text(request).catch(() => null);
    // The client has gone.
    if (body === null) return;
    const stagedRequest = { method, path, query, headers, body };
    staged.requests.push(stagedRequest);
    staged.stage(stagedRequest, response);
  });
  const staged: StagedServer = {
    url: await listenOnFreePort(server),
    requests: [],
    stage,
    close: () => closeServer(server),
  };
  return staged;
}

/** Starts a staged server for a whole test file. Each test begins with an empty list of requests. */
export async function startStagedServerForFile(): Promise<StagedServer> {
  const server = await startStagedServer();
  afterAll(() => server.close());
  beforeEach(() => {
    server.requests.length = 0;
  });
  return server;
}

/** Answers every request with this value as JSON. */
export const answerJson =
  (value: unknown, status = 200, headers: Record<string, string> = {}): Stage =>
  (_request, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
  };

/** Answers every request with this text. */
export const answerText =
  (body: string, status = 200): Stage =>
  (_request, response) => {
    response.writeHead(status).end(body);
  };

/** Receives the request and never answers. */
export const leaveUnanswered: Stage = () => {};

/** Closes the connection without an answer. */
export const cutConnection: Stage = (_request, response) => {
  response.socket?.destroy();
};

/** Sends the head at once, and then single bytes for ever. */
export const dripBytes: Stage = (_request, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  const timer = setInterval(() => response.write(" "), 5);
  response.on("close", () => clearInterval(timer));
};

/** Sends an endless body without a content length. */
export const floodBody: Stage = (_request, response) => {
  const chunk = Buffer.alloc(16_384, 32);
  const pour = () => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once("drain", pour);
  };
  response.writeHead(200, { "content-type": "application/json" });
  pour();
};

/** Announces a longer body than it sends. */
export const truncateBody: Stage = (_request, response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"value":', () => response.socket?.destroy());
};
