import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { Redis } from "ioredis";
import { closeServer, listenOnFreePort } from "../app/listen";
import { startRedis } from "./redis-server";

/**
 * Starts a redis-server without persistence on a free loopback port, behind the part of the Upstash REST protocol that
 * its SDK uses.
 * @returns null when this machine has no redis-server (Debian: apt-get install redis-server)
 */
export async function startUpstashBridge() {
  const redis = await startRedis();
  if (!redis) return null;
  const client = connectRedis(redis.port);
  const token = randomBytes(16).toString("hex");
  let requestCount = 0;
  let isHanging = false;
  const server = createServer(async (request, response) => {
    requestCount++;
    if (isHanging) return;
    const { status, body } = await answerRequest(request, client, token).catch(() => ({
      status: 500,
      body: { error: "The bridge could not answer the request." },
    }));
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  // After Node's 5 s, a busy client would write to a connection that is being closed, and a write is sent only once.
  server.keepAliveTimeout = 0;
  return {
    /** Value for `KV_REST_API_URL`. */
    url: await listenOnFreePort(server),
    /** Value for `KV_REST_API_TOKEN`. */
    token,
    redisPort: redis.port,
    /** Sets whether the bridge receives requests without answering them. */
    setHanging(value: boolean) {
      isHanging = value;
    },
    countRequests: () => requestCount,
    async stop() {
      await closeServer(server);
      client.disconnect();
      await redis.stop();
    },
  };
}

/** Opens a connection that is not opened again after it closes. */
export function connectRedis(port: number): Redis {
  // With RESP2, replies have the same types as those of Upstash.
  const client = new Redis(port, { protocol: 2, retryStrategy: () => null, enableReadyCheck: false });
  // Ignore connection errors here, because each failed command rejects with them.
  return client.on("error", () => {});
}

interface Answer {
  status: number;
  body: unknown;
}

type Reply = number | null | Buffer | Error | Reply[];

/** Sends the commands back to back, so that no other request's commands run in between. Errors become replies. */
function sendCommands(client: Redis, commands: string[][]): Promise<Reply[]> {
  const replies = commands.map(([name, ...args]) => client.callBuffer(name!, args).catch((error) => error));
  return Promise.all(replies) as Promise<Reply[]>;
}

async function answerRequest(request: IncomingMessage, client: Redis, token: string): Promise<Answer> {
  const body = await text(request);
  if (request.headers.authorization !== `Bearer ${token}`) return { status: 401, body: { error: "Unauthorized" } };
  if (request.method !== "POST") return { status: 405, body: { error: "only POST is bridged" } };
  const input: unknown = JSON.parse(body);
  const encodeReply = (reply: Reply) => toResponseBody(reply, request.headers["upstash-encoding"] === "base64");
  switch (request.url) {
    case "/": {
      const [reply] = await sendCommands(client, [toCommandWords(input)]);
      return { status: reply instanceof Error ? 400 : 200, body: encodeReply(reply!) };
    }
    case "/pipeline":
      return {
        status: 200,
        body: (await sendCommands(client, (input as unknown[]).map(toCommandWords))).map(encodeReply),
      };
    case "/multi-exec": {
      const outcome = (
        await sendCommands(client, [["MULTI"], ...(input as unknown[]).map(toCommandWords), ["EXEC"]])
      ).at(-1)!;
      return Array.isArray(outcome)
        ? { status: 200, body: outcome.map(encodeReply) }
        : { status: 400, body: encodeReply(outcome) };
    }
    default:
      return { status: 404, body: { error: "not bridged" } };
  }
}

function toCommandWords(command: unknown): string[] {
  return (command as unknown[]).map((word) => (typeof word === "string" ? word : JSON.stringify(word)));
}

function toResponseBody(reply: Reply, isBase64: boolean): { error: string } | { result: unknown } {
  return reply instanceof Error ? { error: reply.message } : { result: encodeValue(reply, isBase64) };
}

function encodeValue(reply: Reply, isBase64: boolean): unknown {
  if (reply === null || typeof reply === "number") return reply;
  if (Array.isArray(reply)) return reply.map((item) => encodeValue(item, isBase64));
  if (reply instanceof Error) return reply.message;
  // OK stays unencoded, as in the Upstash service. The SDK compares it before it decodes replies.
  return isBase64 && reply.toString() !== "OK" ? reply.toString("base64") : reply.toString();
}
