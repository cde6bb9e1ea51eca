import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Connection, PublicKey } from "@solana/web3.js";
import { build } from "esbuild";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { listOperations } from "../../app/docs/_content/reference";
import { buildRequestSamples } from "../../app/docs/_content/request-samples";
import { derivationText } from "../../lib/sdk";
import type { App } from "../support/app/app";
import { startAppForFile } from "../support/app/app-for-file";
import { bundlePrograms } from "../support/app/bundle";
import { startSandboxProgram } from "../support/app/sandbox-program";
import { createWallet, fund, get, readData, type Wallet } from "../support/client/client";
import { createFolderForFile } from "../support/store/temp-folder";

/* Tests the package as users get it: packed, and installed into an empty folder without a registry. */

const runFile = promisify(execFile);
/** Maximum size of a bundle that imports a whole entry point, by entry point. */
const MAX_GZIP_BYTES = { "": 52_000, "/errors": 1_500, "/client": 2_000, "/attach": 10_800, "/verify": 14_000 };

const folder = createFolderForFile();
const userFolder = join(folder, "user");
const packageFolder = join(userFolder, "node_modules/roundup-sdk");
let app: App;
let wallet: Wallet;
let serviceWallet: string;

const env = { ...process.env, npm_config_offline: "true", npm_config_update_notifier: "false" };
const runNpm = (cwd: string, ...args: string[]) =>
  runFile("npm", [...args, "--ignore-scripts", "--no-audit", "--no-fund"], { cwd, env });
const runProgram = (args: string[], settings: Record<string, string> = {}) => {
  const { PATH } = process.env;
  return runFile(process.execPath, args, { cwd: userFolder, env: { PATH, NODE_ENV: "production", ...settings } });
};

/** Returns the TypeScript programs in the package's README. */
async function readExamples(): Promise<string[]> {
  const readme = await readFile(join(packageFolder, "README.md"), "utf8");
  return [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code!);
}

async function listFiles(path: string, ending: string): Promise<string[]> {
  return (await readdir(path, { recursive: true }))
    .filter((name) => name.endsWith(ending))
    .map((name) => join(path, name));
}

beforeAll(async () => {
  const [buildFolder, modulesFolder] = [join(folder, "sdk"), join(userFolder, "node_modules")];
  await runFile(process.execPath, ["--import", "tsx", "deploy/sdk/build.ts", buildFolder]);
  const { stdout } = await runNpm(buildFolder, "pack", "--json", "--pack-destination", folder);
  await mkdir(userFolder);
  await writeFile(join(userFolder, "package.json"), JSON.stringify({ name: "user", private: true, type: "module" }));
  const packageFile = join(folder, JSON.parse(stdout)[0].filename);
  await runNpm(userFolder, "install", "--omit=peer", "--legacy-peer-deps", packageFile);
  // A user installs the peer dependency and Node's types.
  for (const name of ["@solana/web3.js", "@types/node"]) {
    await mkdir(join(modulesFolder, name, ".."), { recursive: true });
    await symlink(resolve("node_modules", name), join(modulesFolder, name));
  }
  app = await startAppForFile("sdk-package", join(folder, "data"), { CLIENT_IP: "" });
  wallet = await createWallet();
  await fund(wallet.address, 2);
  await writeFile(join(userFolder, "id.json"), JSON.stringify([...wallet.keys.secretKey]));
}, 300_000);
afterAll(async () => void (await app?.stop()));

test.each(Object.entries(MAX_GZIP_BYTES))(
  'importing all of "roundup-sdk%s" adds less than %i bytes gzip to a page',
  async (entryPoint, maxBytes) => {
    const contents = `import * as all from "roundup-sdk${entryPoint}"; console.log(all);`;
    const output = { format: "esm", platform: "browser", minify: true, write: false, metafile: true } as const;
    const stdin = { contents, resolveDir: userFolder };
    const { outputFiles, metafile } = await build({ ...output, stdin, bundle: true, external: ["@solana/web3.js"] });
    expect(gzipSync(outputFiles[0]!.contents, { level: 9 }).length).toBeLessThan(maxBytes);
    const importedPaths = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
    const needsChain = !["/errors", "/client"].includes(entryPoint);
    expect([...new Set(importedPaths)]).toEqual(needsChain ? ["@solana/web3.js"] : []);
  },
);

test("installing the package installs no dependency", async () => {
  const installedPackages = await readdir(join(userFolder, "node_modules"));
  for (const name of ["zod", "tweetnacl", "bs58"]) expect(installedPackages).not.toContain(name);
});

test("the package's source maps name the TypeScript sources", async () => {
  const maps = await listFiles(packageFolder, ".js.map");
  const sources = await Promise.all(maps.map(async (path) => JSON.parse(await readFile(path, "utf8")).sources));
  expect(sources.flat()).toEqual(expect.arrayContaining([expect.stringMatching(/lib\/sdk\/attach\.ts$/)]));
});

test("the package's types import only web3.js and each other", async () => {
  const files = await listFiles(join(packageFolder, "types"), ".d.ts");
  expect(files.length).toBeGreaterThan(20);
  for (const file of files) {
    const { importedFiles } = ts.preProcessFile(await readFile(file, "utf8"));
    for (const { fileName } of importedFiles) expect(fileName, file).toMatch(/^\.{1,2}\/|^@solana\/web3\.js$/);
  }
});

test("the README's programs and the reference's examples compile under Node's module resolution", async () => {
  for (const [i, code] of (await readExamples()).entries()) await writeFile(join(userFolder, `example-${i}.ts`), code);
  for (const { body, ...operation } of listOperations()) {
    const samples = buildRequestSamples({ ...operation, exampleBody: body?.example ?? null }, "http://localhost:3000");
    const { code } = samples.find(({ language }) => language === "typescript")!;
    await writeFile(join(userFolder, `${operation.id}.ts`), `${code}\nexport {};\n`);
  }
  const wrongProgram = `import { createRoundup } from "roundup-sdk";
export const sol = async (r: ReturnType<typeof createRoundup>): Promise<string> =>
  (await (await r.calls()).get("/api/price")).prices.SOL;
export const save = async (r: ReturnType<typeof createRoundup>) => (await r.calls()).post("/api/topup", { purchases: 1 });\n`;
  await writeFile(join(userFolder, "wrong.ts"), wrongProgram);
  const target = { module: "nodenext", target: "es2022", types: ["node"], outDir: "out" };
  const compilerOptions = { ...target, strict: true, skipLibCheck: false };
  await writeFile(join(userFolder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  const tsc = resolve("node_modules/typescript-7/bin/tsc");
  const { stdout } = await runProgram([tsc, "-p", "."]).catch((error: { stdout: string }) => error);
  // The types are precise: a price is not a string, and each path has its own body.
  expect(stdout.trim().split("\n")).toEqual([
    expect.stringMatching(/^wrong\.ts.*Type 'number.*' is not assignable to type 'string'/),
    expect.stringMatching(/^wrong\.ts.*'purchases' does not exist/),
  ]);
});

test("the README's first program saves and invests in at most 20 lines", async () => {
  const [code] = await readExamples();
  expect(code!.trim().split("\n").length).toBeLessThanOrEqual(20);
  const { stdout } = await runProgram(["out/example-0.js", "id.json"], { ROUNDUP_URL: app.url });
  expect(stdout).toMatch(/saves \$3\.89, of it \$[\d.]+ fee\nsaving: done \ninvesting: done/);
  serviceWallet = /savings wallet: (\w+)/.exec(stdout)![1]!;
  const { balances } = await readData(get(`/api/portfolio/${serviceWallet}`));
  expect(balances.map(({ asset }) => asset)).toEqual(expect.arrayContaining(["BTC", "ETH"]));
});

describe("the package's command", () => {
  test("`roundup mcp` enforces its daily limit across restarts", async () => {
    /** Starts the server and runs `useTools` with the official client, as a model does. */
    const runMcpServer = async (useTools: (callTool: CallTool) => Promise<void>) => {
      const limits = ["--max-per-action-usd", "30", "--max-per-day-usd", "60"];
      const args = ["node_modules/.bin/roundup", "mcp", "--url", app.url, "--keypair", "id.json", ...limits];
      const env = { PATH: process.env.PATH!, XDG_STATE_HOME: await mkdtemp(join(folder, "state-")) };
      const server = { command: process.execPath, args, cwd: userFolder, env };
      const transport = new StdioClientTransport({ ...server, stderr: "ignore" });
      const client = new Client({ name: "a model", version: "1.0.0" });
      await client.connect(transport);
      try {
        await useTools(async (name, args = {}) => {
          for (;;) {
            const { isError, content, structuredContent } = await client.callTool({ name, arguments: args });
            if (!isError) return structuredContent as Record<string, unknown>;
            const failure = JSON.stringify(content);
            const [, seconds] = /Rate limit reached\. Ask again in (\d+) s/.exec(failure) ?? [];
            if (!seconds) throw new Error(failure);
            await sleep(Number(seconds) * 1000);
          }
        });
      } finally {
        await client.close();
      }
    };
    // The test makes few calls, because earlier tests share the same limit of 60 a minute.
    await runMcpServer(async (callTool) => {
      const previewAndConfirm = async (name: string, args: object) => {
        const { token, summary } = await callTool(`preview_${name}`, { ...args });
        return (await callTool(name, { token, summary })).status;
      };
      expect([
        await previewAndConfirm("save", { purchasesUsd: [4.02, 27.03], plan: "forest", multiplier: 6 }),
        await previewAndConfirm("invest", { allocations: [{ asset: "BTC", pct: 100 }] }),
        await previewAndConfirm("sell", { asset: "BTC", into: "SOL" }),
        await previewAndConfirm("withdraw", { asset: "SOL", amountCoins: "0.01" }),
      ]).toEqual(["done", "done", "done", "done"]);
    });
    await runMcpServer(async (callTool) => {
      const reason = /after \$[3-5]\d\.\d+ in the last 24 hours\. At most \$60\.00 may be moved in 24 hours/;
      await expect(callTool("preview_topup", { amountUsd: 29.5 })).rejects.toThrow(reason);
    });
  });

  test("`roundup recover` sends everything to the owner while the server is stopped", async () => {
    await app.stop();
    const programs = await bundlePrograms("sdk-package", { sandbox: "lib/sandbox/main.ts" });
    const sandbox = await startSandboxProgram([programs.sandbox], join(folder, "data/chain"));
    onTestFinished(async () => void (await sandbox.stop()));
    const runRecover = (...args: string[]) =>
      runProgram(["node_modules/.bin/roundup", "recover", "--origin", "sandbox", ...args]);
    const recoverArgs = ["--rpc", sandbox.url, "--keypair", "id.json", "--json"];
    expect((await runRecover("--owner", wallet.address)).stdout.trim()).toBe(derivationText("sandbox"));
    const preview = JSON.parse((await runRecover(...recoverArgs, "--dry-run")).stdout);
    expect(preview).toMatchObject({ serviceWallet, destination: wallet.address, transactions: 1, reason: null });

    const { landed, ...summary } = JSON.parse((await runRecover(...recoverArgs)).stdout);
    expect(summary).toEqual(preview);
    expect(landed).toHaveLength(1);
    const chain = new Connection(sandbox.url, "confirmed");
    expect(await chain.getAccountInfo(new PublicKey(serviceWallet))).toBeNull();
    const secondRun = await runRecover(...recoverArgs).catch((error: { code: number; stdout: string }) => error);
    expect(secondRun).toMatchObject({ code: 3 });
    expect(JSON.parse(secondRun.stdout)).toMatchObject({ lamports: "0", tokens: [], landed: [] });
  });
});

/** Calls a tool of the server. @throws Error with the tool's text when the tool fails */
type CallTool = (name: string, args?: Record<string, unknown>) => Promise<Record<string, unknown>>;
