import { once } from "node:events";
import { Agent, createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { compressFile, type StoredFile } from "../../../../lib/http/pages/files";
import { createPageListener } from "../../../../lib/http/pages/serve";

const HTML = "text/html; charset=utf-8";
const FLIGHT = "text/x-component";
const page = (text: string, type = HTML) => compressFile(Buffer.from(text), type, "no-cache");

const files = new Map<string, StoredFile>([
  ["/", await page("the start")],
  ["/docs", await page(`the reference ${"and more ".repeat(100)}`)],
  ["/docs.rsc", await page("data of the reference", FLIGHT)],
  ["/docs.segments/_tree.segment.rsc", await page("tree of the reference", FLIGHT)],
  ["/index.rsc", await page("data of the start", FLIGHT)],
  ["/tx", await page("a transaction")],
  ["/_not-found", { ...(await page("no such page")), status: 404 }],
  ["/_not-found.rsc", { ...(await page("no such data", FLIGHT)), status: 404 }],
  ["/_next/static/a.js", await page("script", "text/javascript; charset=utf-8")],
]);

/** Reuses connections; otherwise each of hundreds of requests would open one. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

let now = 0;
const PROCESS = { env: { CLIENT_IP: { kind: "proxy", hops: 1 } as const }, deps: { clock: { now: () => now } } };
let server: Server | undefined;
beforeEach(async () => {
  await close();
  now = 1_000_000;
  server = createServer(createPageListener(files, PROCESS));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(close);

async function close(): Promise<void> {
  agent.destroy();
  const opened = server;
  if (opened) await new Promise((resolve) => opened.close(resolve));
}

interface Seen {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

function ask(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Seen> {
  const { port } = server!.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const all = { "x-forwarded-for": "203.0.113.1", ...headers };
    const outgoing = request({ host: "127.0.0.1", port, path, method, headers: all, agent }, async (incoming) => {
      const body = Buffer.concat(await incoming.toArray());
      resolve({ status: incoming.statusCode!, headers: incoming.headers, body });
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
}

const textOf = async (...args: Parameters<typeof ask>) => {
  const { status, body } = await ask(...args);
  return `${status} ${body}`;
};

describe("paths", () => {
  test("serves the same page with a query and with a trailing slash", async () => {
    expect(await textOf("/?a=1")).toBe("200 the start");
    for (const path of ["/docs", "/docs/", "/docs?x=/", "/docs/?x"]) {
      expect(await textOf(path)).toMatch(/^200 the reference/);
    }
  });

  test("serves one page for all transactions", async () => {
    expect(await textOf("/tx/abc?_rsc=1")).toBe("200 a transaction");
    expect(await textOf("/tx/abc/def")).toBe("404 no such page");
  });

  test("answers 404 for paths outside the loaded folders", async () => {
    for (const path of [
      "/nowhere",
      "/..%2f..%2fpackage.json",
      "/../package.json",
      "/%",
      "/constructor",
      "/docs.html",
      "/docs//",
    ]) {
      expect(await textOf(path), path).toBe("404 no such page");
    }
  });
});

describe("navigations of an open page", () => {
  test("receive the page's data, or one segment of it for a prefetch", async () => {
    expect(await textOf("/docs?_rsc=x", { rsc: "1" })).toBe("200 data of the reference");
    expect(await textOf("/?_rsc=x", { rsc: "1" })).toBe("200 data of the start");
    const prefetch = { rsc: "1", "next-router-prefetch": "1", "next-router-segment-prefetch": "/_tree" };
    expect(await textOf("/docs?_rsc=y", prefetch)).toBe("200 tree of the reference");
  });

  test("receive 404 for an unknown page or segment", async () => {
    expect(await textOf("/nowhere?_rsc=x", { rsc: "1" })).toBe("404 no such data");
    const prefetch = { rsc: "1", "next-router-prefetch": "1", "next-router-segment-prefetch": "/../../x" };
    expect(await textOf("/docs?_rsc=y", prefetch)).toBe("404 no such data");
  });
});

describe("what is sent", () => {
  test("prefers brotli to gzip, and uses neither when the client refuses it", async () => {
    const cases = [
      ["gzip, deflate, br, zstd", "br"],
      ["br;q=0, gzip", "gzip"],
      ["BR ; q=0.5", "br"],
      ["gzip;q=0.0,br;q=0", undefined],
      ["abr", undefined],
      ["", undefined],
    ] as const;
    for (const [accepted, encoding] of cases) {
      const { headers, body } = await ask("/docs", { "accept-encoding": accepted });
      expect({ accepted, encoding: headers["content-encoding"] }).toEqual({ accepted, encoding });
      const text = encoding === "br" ? brotliDecompressSync(body) : encoding === "gzip" ? gunzipSync(body) : body;
      expect(text.toString()).toMatch(/^the reference/);
      expect(headers["content-length"]).toBe(String(body.length));
      expect(headers.vary).toContain("accept-encoding");
    }
  });

  test("answers 304 without a body when the client has the current version", async () => {
    const { headers } = await ask("/docs", { "accept-encoding": "br" });
    const again = await ask("/docs", { "accept-encoding": "br", "if-none-match": String(headers.etag) });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    expect((await ask("/docs", { "if-none-match": 'W/"other"' })).status).toBe(200);
  });

  test("sends only the head for HEAD, and 405 in the envelope for other methods", async () => {
    const { status, headers, body } = await ask("/docs", {}, "HEAD");
    expect([status, Number(headers["content-length"]) > 100, body.length]).toEqual([200, true, 0]);
    const refused = await ask("/docs", {}, "POST");
    expect([refused.status, refused.headers.allow]).toEqual([405, "GET, HEAD"]);
    expect(JSON.parse(refused.body.toString())).toMatchObject({ ok: false, code: "method_not_allowed" });
  });

  test("ignores a range and sends the whole file", async () => {
    for (const range of ["bytes=5-2", "bytes=0-1", "bytes=999999-"]) {
      expect(await textOf("/", { range })).toBe("200 the start");
    }
  });
});

describe("600 pages a minute for each address", () => {
  const status = async (path: string, headers = {}) => (await ask(path, headers)).status;

  test("answers 429 in the envelope beyond the limit, counting data, HEAD and missing pages per address", async () => {
    for (let i = 0; i < 597; i++) await ask("/", {}, "HEAD");
    expect(await status("/docs", { rsc: "1" })).toBe(200);
    expect(await status("/nowhere")).toBe(404);
    expect(await status("/docs")).toBe(200);
    now += 1_000;
    const refused = await ask("/docs");
    expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "59"]);
    expect(JSON.parse(refused.body.toString())).toMatchObject({
      code: "rate_limited",
      error: expect.stringMatching(/600/),
    });
    expect(await status("/", { "x-forwarded-for": "203.0.113.2" })).toBe(200);
    now += 59_000;
    expect(await status("/docs")).toBe(200);
  });

  test("does not count scripts and other assets", async () => {
    for (let i = 0; i < 601; i++) expect(await status("/_next/static/a.js")).toBe(200);
    expect(await status("/docs")).toBe(200);
  });
});
