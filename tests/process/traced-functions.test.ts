import { copyFileSync, lstatSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from "node:fs";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { NO_CHAIN_SETTINGS } from "../support/app/app-for-file";
import { runNode } from "../support/app/process";
import { createCallerAddress, createWallet, get, post, readData, setTargetApp } from "../support/client/client";
import { toTestWallet } from "../support/fixtures/test-wallets";
import { createFolderForFile } from "../support/store/temp-folder";
import { startUpstashBridge } from "../support/store/upstash-bridge";

/*
 * Runs the API as serverless functions. For each function, the test copies only the files that Next traced into an
 * empty folder. The route's compiled handler then answers in that folder, as on a function host.
 */

const ROUTES = readdirSync("app/api", { encoding: "utf8", recursive: true })
  .filter((name) => name.endsWith("route.ts"))
  .map((name) => join("app/api", name.replace(/\.ts$/, ".js")));
const listTracedFiles = async (route: string): Promise<string[]> => {
  const trace = join(".next/server", `${route}.nft.json`);
  const files: string[] = JSON.parse(await readFile(trace, "utf8")).files;
  return files.map((file) => relative(".", resolve(dirname(trace), file)));
};

test("no function includes the native packages that only server.ts uses", async () => {
  // Few routes would mean that the search for route files is broken.
  expect(ROUTES.length).toBeGreaterThan(15);
  for (const route of [...ROUTES, "instrumentation.js"]) {
    const nativePattern = /node_modules\/(@lmdb|lmdb|litesvm|msgpackr)/;
    const nativeFiles = (await listTracedFiles(route)).filter((file) => nativePattern.test(file));
    expect({ route, nativeFiles }).toEqual({ route, nativeFiles: [] });
  }
});

/** The program in the folder. It uses only Node, because it must not find this project's packages. */
const HOST_SOURCE = `
const { createServer } = require("node:http");
const { handler } = require(process.argv[2]);
const server = createServer((request, response) => handler(request, response, { waitUntil: () => {} }));
server.listen(0, "127.0.0.1", () => console.log(JSON.stringify({ port: server.address().port })));
`;

const parentFolder = createFolderForFile();

/** Copies the files that a function needs into an empty folder. @returns the folder */
async function copyTracedFiles(route: string): Promise<string> {
  const folder = await mkdtemp(join(parentFolder, "function-"));
  const { files } = JSON.parse(await readFile(".next/required-server-files.json", "utf8")) as { files: string[] };
  const entries = [route, "instrumentation.js"];
  const tracedFiles = (await Promise.all(entries.map(listTracedFiles))).flat();
  const paths = new Set([...files, ...tracedFiles, ...entries.map((entry) => join(".next/server", entry))]);
  for (const parent of new Set([...paths].map(dirname))) mkdirSync(join(folder, parent), { recursive: true });
  for (const path of paths) {
    if (lstatSync(path).isSymbolicLink()) symlinkSync(readlinkSync(path), join(folder, path));
    else copyFileSync(path, join(folder, path));
  }
  await writeFile(join(folder, "host.cjs"), HOST_SOURCE);
  return folder;
}

const bridge = await startUpstashBridge();
if (!bridge)
  console.warn("skipped: functions with a shared store need redis-server (Debian: apt-get install redis-server)");
afterAll(() => bridge?.stop());

/** Starts a function, which runs until the end of the test, and sends all later calls to it. */
async function startFunction(route: string): Promise<void> {
  const cwd = await copyTracedFiles(route);
  const env = {
    VERCEL: "1",
    NETWORK: "mainnet-beta",
    CLIENT_IP: "vercel",
    WALLET_ORIGIN: "https://roundup.example",
    SOLANA_RPC_URL: "http://127.0.0.1:9",
    JUPITER_URL: "http://127.0.0.1:9",
    FEE_COLLECTORS: NO_CHAIN_SETTINGS.FEE_COLLECTORS,
    KV_REST_API_URL: bridge!.url,
    KV_REST_API_TOKEN: bridge!.token,
    CRON_SECRET: "cron-secret-0123",
    // With a long timeout, a slow machine does not fail the test.
    KV_TIMEOUT_MS: "60000",
  };
  const running = runNode(["host.cjs", join(cwd, ".next/server", route)], { cwd, env });
  onTestFinished(async () => void (await running.stop()));
  const port = await running.waitForLine((line) => /^\{"port":(\d+)\}/.exec(line)?.[1]);
  setTargetApp(`http://127.0.0.1:${port}`);
}

describe.skipIf(!bridge).sequential("a function in an empty folder", () => {
  test("counts public calls in the shared store by the address that the host states", async () => {
    await startFunction("app/api/plans/route.js");
    const address = { "x-vercel-forwarded-for": createCallerAddress() };
    for (const remaining of ["59", "58"]) {
      const answer = await get("/api/plans", { headers: address });
      expect((await readData(Promise.resolve(answer))).network).toBe("mainnet-beta");
      expect(answer.headers.get("x-ratelimit-remaining")).toBe(remaining);
    }
  });

  test("reports an upstream failure for a GET with a path parameter", async () => {
    const { address } = toTestWallet("owner");
    await startFunction("app/api/portfolio/[address]/route.js");
    expect((await get(`/api/portfolio/${address}`)).body?.code).toBe("upstream_unavailable");
    expect((await get("/api/portfolio/nobody")).body?.code).toBe("invalid_address");
  });

  test("stores a new key that a different function accepts", async () => {
    await startFunction("app/api/auth/route.js");
    const wallet = await createWallet();
    await startFunction("app/api/keys/generate/route.js");
    const { apiKey } = await readData(post("/api/keys/generate", {}, { headers: wallet.headers }));
    expect(apiKey).toMatch(/^ru_live_/);
    await startFunction("app/api/roundup/route.js");
    const headers = { "x-api-key": apiKey };
    expect((await readData(post("/api/roundup", { txValueUsd: 3.47 }, { headers }))).roundUpUsd).toBe(0.03);
    expect((await post("/api/roundup", { txValueUsd: 3.4 })).status).toBe(401);
  });
});
