import { createServer } from "node:http";
import { afterAll, expect, test } from "vitest";
import { createPageListener } from "../../../../lib/http/pages/page-listener";
import { compressFile, type StoredFile } from "../../../../lib/http/pages/stored-files";
import { closeServer, listenOnFreePort } from "../../../support/app/listen";

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

let nowMs = 1_000_000;
const PAGE_RUNTIME = { env: { CLIENT_IP: { kind: "proxy", hops: 1 } as const }, deps: { clock: { now: () => nowMs } } };
const server = createServer(createPageListener(files, PAGE_RUNTIME));
const url = await listenOnFreePort(server);
afterAll(() => closeServer(server));

const requestPage = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  fetch(`${url}${path}`, { method, headers: { "x-forwarded-for": "203.0.113.1", ...headers } });

test("an address gets 600 pages a minute: page data, HEAD requests and missing pages count, but not scripts", async () => {
  const requestStatus = async (path: string, headers = {}) => (await requestPage(path, headers)).status;
  for (let i = 0; i < 597; i++) await requestPage("/", {}, "HEAD");
  expect(await requestStatus("/docs", { rsc: "1" })).toBe(200);
  expect(await requestStatus("/nowhere")).toBe(404);
  for (let i = 0; i < 5; i++) expect(await requestStatus("/_next/static/a.js")).toBe(200);
  expect(await requestStatus("/docs")).toBe(200);
  nowMs += 1_000;
  const refusedResponse = await requestPage("/docs");
  expect([refusedResponse.status, refusedResponse.headers.get("retry-after")]).toEqual([429, "59"]);
  expect(await refusedResponse.json()).toMatchObject({ code: "rate_limited", error: expect.stringMatching(/600/) });
  expect(await requestStatus("/", { "x-forwarded-for": "203.0.113.2" })).toBe(200);
  nowMs += 59_000;
  expect(await requestStatus("/docs")).toBe(200);
});
