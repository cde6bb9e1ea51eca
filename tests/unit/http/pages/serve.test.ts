import { once } from "node:events";
import { Agent, createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { compressFile, type StoredFile } from "../../../../lib/http/pages/files";
import { createPageListener } from "../../../../lib/http/pages/serve";

const HTML = "text/html; charset=utf-8";
const FLIGHT = "text/x-component";
const createPage = (text: string, type = HTML) => compressFile(Buffer.from(text), type, "no-cache");

const files = new Map<string, StoredFile>([
  ["/", await createPage("the start")],
  ["/docs", await createPage(`the reference ${"and more ".repeat(100)}`)],
  ["/docs.rsc", await createPage("data of the reference", FLIGHT)],
  ["/docs.segments/_tree.segment.rsc", await createPage("tree of the reference", FLIGHT)],
  ["/index.rsc", await createPage("data of the start", FLIGHT)],
  ["/tx", await createPage("a transaction")],
  ["/_not-found", { ...(await createPage("no such page")), status: 404 }],
  ["/_not-found.rsc", { ...(await createPage("no such data", FLIGHT)), status: 404 }],
  ["/_next/static/a.js", await createPage("script", "text/javascript; charset=utf-8")],
]);

/** Reuses one connection, because hundreds of requests would otherwise open one each. */
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

interface PageResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

function ask(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<PageResponse> {
  const { port } = server!.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const requestHeaders = { "x-forwarded-for": "203.0.113.1", ...headers };
    const outgoing = request(
      { host: "127.0.0.1", port, path, method, headers: requestHeaders, agent },
      async (incoming) => {
        const body = Buffer.concat(await incoming.toArray());
        resolve({ status: incoming.statusCode!, headers: incoming.headers, body });
      },
    );
    outgoing.on("error", reject);
    outgoing.end();
  });
}

const askText = async (...args: Parameters<typeof ask>) => {
  const { status, body } = await ask(...args);
  return `${status} ${body}`;
};

describe("paths", () => {
  test("with a query or a trailing slash lead to the same page", async () => {
    expect(await askText("/?a=1")).toBe("200 the start");
    for (const path of ["/docs", "/docs/", "/docs?x=/", "/docs/?x"]) {
      expect(await askText(path)).toMatch(/^200 the reference/);
    }
  });

  test("of all transactions lead to one page", async () => {
    expect(await askText("/tx/abc?_rsc=1")).toBe("200 a transaction");
    expect(await askText("/tx/abc/def")).toBe("404 no such page");
  });

  test("outside the loaded folders are answered 404", async () => {
    for (const path of [
      "/nowhere",
      "/..%2f..%2fpackage.json",
      "/../package.json",
      "/%",
      "/constructor",
      "/docs.html",
      "/docs//",
    ]) {
      expect(await askText(path), path).toBe("404 no such page");
    }
  });
});

describe("navigations of an open page", () => {
  test("receive the page's data, or one segment of it for a prefetch", async () => {
    expect(await askText("/docs?_rsc=x", { rsc: "1" })).toBe("200 data of the reference");
    expect(await askText("/?_rsc=x", { rsc: "1" })).toBe("200 data of the start");
    const prefetch = { rsc: "1", "next-router-prefetch": "1", "next-router-segment-prefetch": "/_tree" };
    expect(await askText("/docs?_rsc=y", prefetch)).toBe("200 tree of the reference");
  });

  test("receive 404 for an unknown page or segment", async () => {
    expect(await askText("/nowhere?_rsc=x", { rsc: "1" })).toBe("404 no such data");
    const prefetch = { rsc: "1", "next-router-prefetch": "1", "next-router-segment-prefetch": "/../../x" };
    expect(await askText("/docs?_rsc=y", prefetch)).toBe("404 no such data");
  });
});

describe("a response", () => {
  test("is compressed with brotli or gzip if the client accepts it", async () => {
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

  test("is a 304 without a body if the client has the current version", async () => {
    const { headers } = await ask("/docs", { "accept-encoding": "br" });
    const revalidated = await ask("/docs", { "accept-encoding": "br", "if-none-match": String(headers.etag) });
    expect([revalidated.status, revalidated.body.length]).toEqual([304, 0]);
    expect((await ask("/docs", { "if-none-match": 'W/"other"' })).status).toBe(200);
  });

  test("has no body for HEAD and is a 405 for other methods", async () => {
    const { status, headers, body } = await ask("/docs", {}, "HEAD");
    expect([status, Number(headers["content-length"]) > 100, body.length]).toEqual([200, true, 0]);
    const refused = await ask("/docs", {}, "POST");
    expect([refused.status, refused.headers.allow]).toEqual([405, "GET, HEAD"]);
    expect(JSON.parse(refused.body.toString())).toMatchObject({ ok: false, code: "method_not_allowed" });
  });

  test("is the whole file even if a range was requested", async () => {
    for (const range of ["bytes=5-2", "bytes=0-1", "bytes=999999-"]) {
      expect(await askText("/", { range })).toBe("200 the start");
    }
  });
});

describe("the limit of 600 pages a minute for each address", () => {
  const askStatus = async (path: string, headers = {}) => (await ask(path, headers)).status;

  test("counts pages, data, HEAD and missing pages", async () => {
    for (let i = 0; i < 597; i++) await ask("/", {}, "HEAD");
    expect(await askStatus("/docs", { rsc: "1" })).toBe(200);
    expect(await askStatus("/nowhere")).toBe(404);
    expect(await askStatus("/docs")).toBe(200);
    now += 1_000;
    const refused = await ask("/docs");
    expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "59"]);
    expect(JSON.parse(refused.body.toString())).toMatchObject({
      code: "rate_limited",
      error: expect.stringMatching(/600/),
    });
    expect(await askStatus("/", { "x-forwarded-for": "203.0.113.2" })).toBe(200);
    now += 59_000;
    expect(await askStatus("/docs")).toBe(200);
  });

  test("does not count scripts and other assets", async () => {
    for (let i = 0; i < 601; i++) expect(await askStatus("/_next/static/a.js")).toBe(200);
    expect(await askStatus("/docs")).toBe(200);
  });
});
