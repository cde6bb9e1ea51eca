import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { describe, expect, inject, test } from "vitest";
import { PAGE_HEADERS } from "../../lib/http/pages/security-headers.mjs";
import { rawCall } from "../support/client/raw-http";
import { listFiles } from "../support/source-tree";

/* Tests the pages behind both servers: server.ts serves them from memory, Next from its build. */

const BUILD_FOLDER = ".next/server/app";
const pageNames = listFiles(BUILD_FOLDER, ".html")
  .map((file) => file.slice(BUILD_FOLDER.length + 1, -".html".length))
  .filter((name) => !name.startsWith("_"));
const pagePaths = [
  ...pageNames.map((name) => (name === "index" ? "/" : `/${name}`)),
  "/tx/abc",
  "/docs/",
  "/nowhere",
  "/a/b",
];

const listInlineScripts = (html: string) =>
  [...html.matchAll(/<script([^>]*)>(.*?)<\/script>/gs)].flatMap(([, attributes, text]) =>
    attributes!.includes("src=") ? [] : [text!],
  );
const computeHash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

test.each(pagePaths)("%s contains exactly the inline scripts that its policy allows", async (path) => {
  const { status, headers, text } = await rawCall("GET", path);
  expect(status).toBe(/nowhere|\/a\/b/.test(path) ? 404 : 200);
  const policy = headers.get("content-security-policy")!;
  const scripts = listInlineScripts(text);
  expect(scripts.length).toBeGreaterThan(2);
  expect(new Set(policy.match(/'sha256-[^']+'/g))).toEqual(new Set(scripts.map(computeHash)));
  expect(policy).toMatch(/^default-src 'none'; script-src 'self' 'sha256-/);
  expect(policy.match(/[\w-]+ 'unsafe-[\w-]+'/g)).toEqual(["style-src-attr 'unsafe-inline'"]);
  expect(policy).toMatch(/; connect-src 'self'(;|$)/);
  expect(text).not.toMatch(/<style|nonce=/);
  expect(Object.fromEntries(headers)).toMatchObject(PAGE_HEADERS);
});

test("the tested paths include docs, guides and the dashboard", () => {
  expect(pageNames).toEqual(
    expect.arrayContaining(["index", "docs", "docs/the-loop", "dashboard", "dashboard/invest", "tx"]),
  );
});

test("a guide is served as Markdown, alone and in llms-full.txt", async () => {
  const guide = await rawCall("GET", "/docs/limits.md");
  expect([guide.status, guide.headers.get("content-type")]).toEqual([200, "text/markdown; charset=utf-8"]);
  expect(guide.text).toMatch(/^# Limits\n/);
  expect(guide.text).toContain("| Calls | 60 in any rolling 60 seconds");
  expect(guide.text).not.toMatch(/<\w|\]\(#/);
  expect((await rawCall("GET", "/docs/nowhere.md")).status).toBe(404);
  const everything = await rawCall("GET", "/llms-full.txt");
  expect(everything.text).toContain(guide.text);
  expect(everything.text.startsWith((await rawCall("GET", "/SKILL.md")).text)).toBe(true);
});

test("no page repeats the Host that a client sends", async () => {
  const headers = { host: "evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" };
  for (const path of ["/", "/docs", "/tx/abc", "/nowhere"]) {
    const { text, headers: answerHeaders } = await rawCall("GET", path, { headers });
    expect(text + JSON.stringify([...answerHeaders])).not.toContain("evil.example");
  }
});

test("a client-side navigation gets the data of the requested page", async () => {
  for (const [path, name] of [
    ["/docs", "docs"],
    ["/tx/abc", "tx"],
  ]) {
    // Next redirects a data request without the right marker to the address that contains the marker.
    const firstAnswer = await rawCall("GET", path!, { headers: { rsc: "1" } });
    const answer =
      firstAnswer.status === 307
        ? await rawCall("GET", firstAnswer.headers.get("location")!, { headers: { rsc: "1" } })
        : firstAnswer;
    expect(answer.headers.get("content-type")).toBe("text/x-component");
    // server.ts replaces the origin in examples.
    const text = answer.text.replaceAll(/http:\/\/localhost:\d+/g, "http://localhost:3000");
    expect(text).toBe(await readFile(`${BUILD_FOLDER}/${name}.rsc`, "utf8"));
  }
});

test("a malformed API path gets 404 in the envelope", async () => {
  for (const path of ["/api/%", "/api/%zz", "/api/nowhere/%e0%a4%a", "/api/%e0", "/api/%?x=%"]) {
    const { status, body } = await rawCall("GET", path);
    expect({ path, status, code: body?.code }).toEqual({ path, status: 404, code: "not_found" });
  }
});

describe.runIf(inject("serverKind") === "server")("server.ts", () => {
  test("sends every page compressed to less than 60 kB", async () => {
    for (const path of pagePaths) {
      const { headers } = await rawCall("GET", path, { headers: { "accept-encoding": "gzip, br" } });
      expect(headers.get("content-encoding")).toBe("br");
      expect(Number(headers.get("content-length"))).toBeLessThan(60_000);
    }
  });

  test("sends scripts and style sheets compressed and immutable", async () => {
    const { text } = await rawCall("GET", "/");
    const assets = [...text.matchAll(/(?:src|href)="(\/_next\/static\/[^"]+\.(?:js|css))"/g)].map(([, path]) => path!);
    expect(assets.length).toBeGreaterThan(3);
    for (const path of assets) {
      const response = await fetch(inject("apps").server + path, { headers: { "accept-encoding": "br" } });
      expect(response.headers.get("content-encoding")).toBe("br");
      expect(response.headers.get("cache-control")).toContain("immutable");
      await response.arrayBuffer();
    }
  });
});
