import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { startRedis } from "./redis-server";
import { connectResp, type Reply, type RespClient } from "./resp";

export interface UpstashBridge {
  /** Value for `KV_REST_API_URL`. */
  url: string;
  /** Value for `KV_REST_API_TOKEN`. */
  token: string;
  redisPort: number;
  /** With true, receives requests without answering. With false, answers again. */
  hang(on: boolean): void;
  /** Number of requests so far. */
  asked(): number;
  stop(): Promise<void>;
}

/**
 * Starts a redis-server without persistence on a free loopback port, behind the part of the Upstash REST protocol that
 * its SDK uses.
 * @returns null when this machine has no redis-server (Debian: apt-get install redis-server)
 */
export async function startUpstashBridge(): Promise<UpstashBridge | null> {
  const redis = await startRedis();
  if (!redis) return null;
  const resp = await connectResp(redis.port);
  const token = randomBytes(16).toString("hex");
  let asked = 0;
  let hangs = false;
  const bridge = createBridge(resp, token);
  const server = createServer((request, response) => {
    asked++;
    if (!hangs) bridge(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    redisPort: redis.port,
    hang(on) {
      hangs = on;
    },
    asked: () => asked,
    async stop() {
      server.close();
      server.closeAllConnections();
      resp.close();
      await redis.stop();
    },
  };
}

interface Answer {
  status: number;
  body: unknown;
}

function createBridge(resp: RespClient, token: string) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { status, body } = await answer(request, resp, token).catch(() => ({
      status: 500,
      body: { error: "bridge" },
    }));
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
}

async function answer(request: IncomingMessage, resp: RespClient, token: string): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (request.headers.authorization !== `Bearer ${token}`) return { status: 401, body: { error: "Unauthorized" } };
  if (request.method !== "POST") return { status: 405, body: { error: "only POST is bridged" } };
  const input: unknown = JSON.parse(Buffer.concat(chunks).toString());
  const wire = (reply: Reply) => toWire(reply, request.headers["upstash-encoding"] === "base64");
  switch (request.url) {
    case "/": {
      const [reply] = await resp.send([toWords(input)]);
      return { status: isError(reply!) ? 400 : 200, body: wire(reply!) };
    }
    case "/pipeline":
      return { status: 200, body: (await resp.send(toCommands(input))).map(wire) };
    case "/multi-exec": {
      const outcome = (await resp.send([["MULTI"], ...toCommands(input), ["EXEC"]])).at(-1)!;
      return Array.isArray(outcome) ? { status: 200, body: outcome.map(wire) } : { status: 400, body: wire(outcome) };
    }
    default:
      return { status: 404, body: { error: "not bridged" } };
  }
}

function toCommands(input: unknown): string[][] {
  return (input as unknown[]).map(toWords);
}

function toWords(command: unknown): string[] {
  return (command as unknown[]).map((word) => (typeof word === "string" ? word : JSON.stringify(word)));
}

function isError(reply: Reply): reply is { error: string } {
  return reply !== null && typeof reply === "object" && "error" in reply;
}

function toWire(reply: Reply, base64: boolean): { error: string } | { result: unknown } {
  return isError(reply) ? { error: reply.error } : { result: toResult(reply, base64) };
}

function toResult(reply: Reply, base64: boolean): unknown {
  if (reply === null || typeof reply === "number") return reply;
  if (Array.isArray(reply)) return reply.map((item) => toResult(item, base64));
  if (isError(reply)) return reply.error;
  const data = Buffer.isBuffer(reply) ? reply : Buffer.from(reply.simple);
  // Leaves OK unencoded, as the Upstash service does. The SDK compares it before decoding.
  return base64 && data.toString() !== "OK" ? data.toString("base64") : data.toString();
}
