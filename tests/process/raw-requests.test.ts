import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import type { ErrorCode } from "../../lib/errors";
import { NO_CHAIN_SETTINGS, startTemporaryAppForFile } from "../support/app/app-for-file";
import { type Answer, createCallerAddress, get, readData, record } from "../support/client/client";
import { checkAnswer } from "../support/client/contract-check";
import { expectFailure } from "../support/client/expect-failure";

/* Sends server.ts raw requests that fetch cannot send, and tests how the server ends. */

const settings = { ...NO_CHAIN_SETTINGS, DRAIN_SECONDS: "8", PUBLIC_URL: "https://roundup.example/start" };
const app = await startTemporaryAppForFile("raw-requests", settings);
const port = Number(new URL(app.url).port);

/** Sends the text unchanged on a new connection, and reads until the server closes it. */
function sendRaw(text: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("close", () => {
      const answer = Buffer.concat(chunks).toString();
      record("responses.txt", answer);
      resolve(answer);
    });
    socket.write(text);
  });
}

function parseAnswer(text: string): Answer {
  const end = text.indexOf("\r\n\r\n");
  const [statusLine = "", ...headerLines] = text.slice(0, end).split("\r\n");
  const headers = new Headers(headerLines.map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string]));
  const body = text.slice(end + 4);
  const isJson = headers.get("content-type")?.includes("json");
  return { status: Number(statusLine.split(" ")[1]), headers, text: body, body: isJson ? JSON.parse(body) : null };
}

/** Builds a request head that closes the connection, unless the given headers state otherwise. */
function buildHead(line: string, headers: Record<string, string>): string {
  const allHeaders = { connection: "close", "x-forwarded-for": createCallerAddress(), ...headers };
  return `${[line, ...Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}`)].join("\r\n")}\r\n\r\n`;
}

/** Sends a request and checks the answer against its contract. */
async function callServer(line: string, headers: Record<string, string> = { host: "localhost" }): Promise<Answer> {
  const answer = parseAnswer(await sendRaw(buildHead(line, headers)));
  const [method, target] = line.split(" ");
  checkAnswer(method!, target!, answer);
  return answer;
}

function expectAnswered(answer: Answer): void {
  expect({ status: answer.status, ok: answer.body?.ok }).toEqual({ status: 200, ok: true });
}

describe("a client that offers a different protocol", () => {
  const offers: Record<string, string>[] = [
    { upgrade: "h2c", connection: "Upgrade, HTTP2-Settings, close", "http2-settings": "AAMAAABkAAQAoAAAAAIAAAAA" },
    { upgrade: "websocket", connection: "Upgrade, close", "sec-websocket-version": "13" },
  ];
  test.each(offers)("gets answers over HTTP/1.1 instead of $upgrade", async (offer) => {
    for (const path of ["/api/auth", "/llms.txt", "/", "/api/auth"]) {
      const answer = await callServer(`GET ${path} HTTP/1.1`, { host: "localhost", ...offer });
      expect({ path, status: answer.status }).toEqual({ path, status: 200 });
      if (path === "/api/auth") expectAnswered(answer);
    }
  });
});

describe("a request line or header of unusual form", () => {
  test("gets a complete answer with any Host header, and without a Host header", async () => {
    const ports = ["example.org:99999", "example.com:", "[0:0:0:0:0:0:0:1]:4400"];
    for (const host of ["a b", "[", "a/b", "user@example.org", "", ...ports])
      expectAnswered(await callServer("GET /api/plans HTTP/1.1", { host }));
    for (const version of ["1.0", "1.1"]) expectAnswered(await callServer(`GET /api/plans HTTP/${version}`, {}));
  });

  test("gets 404 for a backslash in the path", async () => {
    expectFailure(await callServer("GET /api/pl\\ans HTTP/1.1"), "not_found");
  });
});

describe("an absolute-form target, as clients send to proxies", () => {
  test("reaches the API with any host, case and port", async () => {
    const origins = ["http://localhost:4400", "HTTP://LOCALHOST", "https://roundup.example", "http://me@localhost"];
    for (const origin of origins)
      expectAnswered(await callServer(`GET ${origin}/api/plans HTTP/1.1`, { host: "other.example" }));
    const refusal = await callServer("GET http://localhost/api/plans?surprise=1 HTTP/1.1");
    expectFailure(refusal, "invalid_request");
    expect(refusal.body.issues?.[0]?.path).toBe("surprise");
  });

  test("reaches the pages with and without a path", async () => {
    for (const target of ["http://localhost/", "http://localhost", "http://localhost/docs", "http://localhost?a=1"]) {
      const { status, headers } = await callServer(`GET ${target} HTTP/1.1`);
      expect({ target, status, type: headers.get("content-type") }).toMatchObject({ target, status: 200 });
    }
  });

  test("does not reach the API with a scheme other than HTTP", async () => {
    const answer = await callServer("GET ftp://localhost/api/plans HTTP/1.1");
    expect(answer.body?.ok).not.toBe(true);
  });
});

describe("a target that is not a path of this server", () => {
  test.each([
    "* HTTP/1.1",
    "http:///host/x HTTP/1.1",
    "http:///api/plans HTTP/1.1",
    "//api/plans HTTP/1.1",
    "//roundup.example/%2e%2e HTTP/1.1",
    "///roundup.example HTTP/1.1",
  ])("gets 404 in the envelope: %s", async (target) => {
    for (const method of ["GET", "OPTIONS"]) {
      const answer = await callServer(`${method} ${target}`);
      expectFailure(answer, "not_found");
      expect(answer.headers.get("location")).toBeNull();
    }
  });
});

describe("pages", () => {
  test("every HTML answer has a Content-Security-Policy", async () => {
    const paths = ["/", "/docs", "/nowhere", "/favicon.icoX", "/icons/none", "/coins/", "/robots.txt/x", "/llms.txtx"];
    for (const path of [...paths, "/_next/image/x", "/_next/none", "/_next/static/none.js", "/_next/static"]) {
      const { headers } = await callServer(`GET ${path} HTTP/1.1`);
      // Only HTML needs a policy.
      const isProtected = !headers.get("content-type")?.includes("html") || headers.has("content-security-policy");
      expect({ path, isProtected }).toEqual({ path, isProtected: true });
    }
  });

  test("the preview picture of a shared link uses the origin of PUBLIC_URL", async () => {
    for (const path of ["/", "/docs", "/tx/abc", "/nowhere"]) {
      const headers = { host: "evil.example", "x-forwarded-host": "evil.example" };
      const { text } = await callServer(`GET ${path} HTTP/1.1`, headers);
      expect(text).toContain('<meta property="og:image" content="https://roundup.example/social.png"/>');
      expect(text).not.toContain("evil.example");
    }
  });

  test("the image route of the pages cannot call the API", async () => {
    // The server writes log lines after it has answered.
    const waitUntilLogged = async () => {
      const answer = await callServer("GET /api/auth HTTP/1.1");
      expectAnswered(answer);
      await app.waitForLine((line) => line.includes(answer.headers.get("x-request-id")!) || undefined);
    };
    await waitUntilLogged();
    const lineCount = app.lines.length;
    for (const url of ["/api/plans", "%2Fapi%2Fplans", "http://localhost/api/plans"]) {
      const { status } = await callServer(`GET /_next/image?url=${url}&w=64&q=75 HTTP/1.1`);
      expect({ url, status }).toEqual({ url, status: 404 });
    }
    await waitUntilLogged();
    expect(app.lines.slice(lineCount).filter((line) => /list-plans|_next/.test(line))).toEqual([]);
  });
});

/** Expects a failure with this code, and the end of the connection. */
function expectRefusal(text: string, code: ErrorCode): void {
  const answer = parseAnswer(text);
  checkAnswer(null, "/api", answer);
  expectFailure(answer, code, text);
  expect(answer.headers.get("connection")).toBe("close");
  expect(answer.headers.get("content-length")).toBe(String(Buffer.byteLength(answer.text)));
}

describe("the HTTP server answers in the envelope", () => {
  const WRAP_LINE = "POST /api/wrap HTTP/1.1\r\ncontent-length: 1";
  const CHUNKED_HEAD =
    "POST /api/sandbox/airdrop HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked";
  test.each([
    ["text that is not HTTP", "NONSENSE\r\n\r\n"],
    ["TLS", Buffer.from("160301020001000000fc0303", "hex")],
    ["an unknown method", "BREW /api/plans HTTP/1.1\r\nhost: a\r\n\r\n"],
    ["a version that does not exist", "GET /api/plans HTTP/9.9\r\nhost: a\r\n\r\n"],
    ["a header without a name", "GET /api/plans HTTP/1.1\r\n: a\r\n\r\n"],
    ["two content lengths", `${WRAP_LINE}\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}`],
    ["a content length with chunked encoding", `${WRAP_LINE}\r\ntransfer-encoding: chunked\r\n\r\n{}`],
    ["a chunk without a size", `${CHUNKED_HEAD}\r\n\r\nzz\r\n`],
  ])("400: refuses %s", async (_caseName, text) => {
    expectRefusal(await sendRaw(text), "invalid_request");
  });

  test("431: refuses a head larger than 16 KiB", async () => {
    for (const size of [20_000, 500_000]) {
      const answer = await sendRaw(buildHead("GET /api/plans HTTP/1.1", { host: "a", long: "a".repeat(size) }));
      expectRefusal(answer, "headers_too_large");
    }
  });

  test("200: answers a complete request when garbage follows it", async () => {
    const request = buildHead("GET /api/plans HTTP/1.1", { host: "localhost", connection: "keep-alive" });
    expectAnswered(parseAnswer(await sendRaw(`${request}NONSENSE\r\n\r\n`)));
  });

  test("200: answers after clients disconnected in the middle of a request", async () => {
    for (const text of ["GET /api/pl", "NONSENSE", "POST /api/wrap HTTP/1.1\r\ncontent-length: 5\r\n\r\n{"]) {
      const socket = connect(port, "127.0.0.1", () => socket.write(text, () => socket.resetAndDestroy()));
      await once(socket, "close");
    }
    expectAnswered(await callServer("GET /api/plans HTTP/1.1"));
  });

  test("200: ignores an unknown Expect header", async () => {
    expectAnswered(await callServer("GET /api/plans HTTP/1.1", { host: "localhost", expect: "something" }));
  });
});

// This test comes last, because it ends the server.
test("after SIGTERM the server reports not ready but still answers until it exits", async () => {
  app.child.kill("SIGTERM");
  await app.waitForLine((line) => /"ending":"SIGTERM"/.test(line) || undefined);
  const health = await get("/api/health");
  expectFailure(health, "service_not_ready");
  expect(health.headers.get("retry-after")).toMatch(/^\d+$/);
  expect((await readData(get("/api/health?probe=live"))).live).toBe(true);
  expect((await get("/api/plans")).status).toBe(200);
  expect(await app.exitCode).toBe(0);
});
