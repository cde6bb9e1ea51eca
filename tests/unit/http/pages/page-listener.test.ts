import { once } from "node:events";
import { Agent, createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { createPageListener } from "../../../../lib/http/pages/page-listener";
import { compressFile, type StoredFile } from "../../../../lib/http/pages/stored-files";

const HTML_TYPE = "text/html; charset=utf-8";
const FLIGHT_TYPE = "text/x-component";
const createFile = (text: string, type = HTML_TYPE) => compressFile(Buffer.from(text), type, "no-cache");

const files = new Map<string, StoredFile>([
  ["/", await createFile("the start")],
  ["/docs", await createFile(`the reference ${"and more ".repeat(100)}`)],
  ["/docs.rsc", await createFile("data of the reference", FLIGHT_TYPE)],
  ["/_not-found", { ...(await createFile("no such page")), status: 404 }],
  ["/_not-found.rsc", { ...(await createFile("no such data", FLIGHT_TYPE)), status: 404 }],
  ["/_next/static/a.js", await createFile("script", "text/javascript; charset=utf-8")],
]);

/** Sends all requests over one connection. Some tests send hundreds. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

let nowMs = 0;
const PAGE_RUNTIME = { env: { CLIENT_IP: { kind: "proxy", hops: 1 } as const }, deps: { clock: { now: () => nowMs } } };
let server: Server | undefined;
beforeEach(async () => {
  await closeServer();
  nowMs = 1_000_000;
  server = createServer(createPageListener(files, PAGE_RUNTIME));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(closeServer);

async function closeServer(): Promise<void> {
  agent.destroy();
  const openServer = server;
  if (openServer) await new Promise((resolve) => openServer.close(resolve));
}

interface PageResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

function requestPage(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<PageResponse> {
  const { port } = server!.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const options = { path, method, headers: { "x-forwarded-for": "203.0.113.1", ...headers }, agent };
    const outgoing = request({ host: "127.0.0.1", port, ...options }, async (incoming) => {
      const body = Buffer.concat(await incoming.toArray());
      resolve({ status: incoming.statusCode!, headers: incoming.headers, body });
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
}

describe("the limit of 600 pages a minute for each address", () => {
  const requestStatus = async (path: string, headers = {}) => (await requestPage(path, headers)).status;

  test("counts pages, page data, HEAD requests and missing pages, but not scripts", async () => {
    for (let i = 0; i < 597; i++) await requestPage("/", {}, "HEAD");
    expect(await requestStatus("/docs", { rsc: "1" })).toBe(200);
    expect(await requestStatus("/nowhere")).toBe(404);
    for (let i = 0; i < 5; i++) expect(await requestStatus("/_next/static/a.js")).toBe(200);
    expect(await requestStatus("/docs")).toBe(200);
    nowMs += 1_000;
    const refusedResponse = await requestPage("/docs");
    expect([refusedResponse.status, refusedResponse.headers["retry-after"]]).toEqual([429, "59"]);
    const failure = { code: "rate_limited", error: expect.stringMatching(/600/) };
    expect(JSON.parse(refusedResponse.body.toString())).toMatchObject(failure);
    expect(await requestStatus("/", { "x-forwarded-for": "203.0.113.2" })).toBe(200);
    nowMs += 59_000;
    expect(await requestStatus("/docs")).toBe(200);
  });
});
