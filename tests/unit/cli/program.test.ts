import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { generateKeyContract } from "../../../lib/contracts/generate-key";
import { listKeysContract } from "../../../lib/contracts/list-keys";
import { createCliUser, runCommand } from "../../support/client/cli-user";
import { createFolderForTest } from "../../support/store/temp-folder";
import type { createSdkService } from "../../support/worlds/sdk-service";

const countSentTransactions = ({ listSentTransactions }: ReturnType<typeof createSdkService>) =>
  listSentTransactions().length;

describe("payment commands", () => {
  test("show the amounts and costs of a saving before they ask for confirmation", async () => {
    const { service, run } = createCliUser();
    const ask = vi.fn(async () => (countSentTransactions(service) === 0 ? "y" : "n"));
    const { exitCode, outputLines } = await run(["save", "4.02", "$27.03", "--plan", "forest"], { ask });
    expect(exitCode).toBe(0);
    expect(ask.mock.calls).toEqual([["Sign and send it? [y/N] "]]);
    for (const part of [
      /^Saves +\$1\.95 \(0\.013 SOL\)$/,
      /^Leaves your wallet +0\.013\d* SOL/,
      /^Arrives in your savings wallet +0\.0129675 SOL$/,
      /^Service fee +\$0\.004875 \(0\.25 %/,
      /^Network fee/,
      /^Change of \$1\.95: \w{80,}$/,
    ])
      expect(outputLines).toContainEqual(expect.stringMatching(part));
  });

  test.each([
    ["there is no terminal", null, 2],
    ["the answer is empty", async () => "", 4],
  ])("send nothing without --yes if %s", async (_caseName, ask, expectedExitCode) => {
    const { service, run } = createCliUser();
    expect((await run(["save", "4.02"], { ask })).exitCode).toBe(expectedExitCode);
    expect(countSentTransactions(service)).toBe(0);
  });
});

test.each([
  ["a missing key file", "the command that creates one", "nowhere/id.json", "solana-keygen new -o nowhere/id.json"],
  ["a key file that cannot be read", "the system's error", "package.json/id.json", "ENOTDIR"],
])("%s is reported with %s", async (_file, _message, path, expectedWords) => {
  const { exitCode, errorLines } = await runCommand(["status", "--keypair", path]);
  expect([exitCode, errorLines.join("\n")]).toEqual([2, expect.stringContaining(expectedWords)]);
});

test("a sign-in goes over plain http only to a sandbox", async () => {
  const { service, run } = createCliUser();
  const requests: string[] = [];
  const fetch: typeof service.fetch = async (url, init) => {
    requests.push(`${url}`);
    return service.fetch!(url, init);
  };
  const statusArgv = ["status", "--url", "http://roundup.example"];
  const { exitCode, errorLines } = await run(statusArgv, { fetch });
  expect([exitCode, errorLines.join("\n"), requests]).toEqual([2, expect.stringContaining("https"), []]);
  expect((await run([...statusArgv, "--origin", "sandbox"], { fetch })).exitCode).toBe(0);
  expect(requests.length).toBeGreaterThan(0);
});

test.each([
  [["save", "four"]],
  [["save", "4", "--plan", "oak"]],
  [["invest", "--allocations", "BTC:60,ETH:30", "--yes"]],
  [["invest", "--allocations", "BTC:50,BTC:50", "--yes"]],
  [["sell", "BTC", "0.123456789", "--yes"]],
  [["withdraw", "DOGE", "--yes"]],
  [["status", "--url", "nowhere"]],
  [["status", "--origin", "roundup.example"]],
  [["listen"]],
  [["listen", "--forward-to", "nowhere"]],
  [["listen", "--forward-to", "ftp://localhost"]],
  [["watch"]],
  [["watch", "--yes", "--weekly-usd", "20", "--max-per-day-usd", "10"]],
  [["watch", "--yes", "--multiplier", "10", "--max-per-day-usd", "5"]],
  [["watch", "--yes", "--weekly-usd", "5", "--max-per-month-usd", "4"]],
  [["watch", "--yes", "--multiplier", "4", "--max-per-month-usd", "3"]],
  [["watch", "--yes", "--interval-seconds", "1"]],
  [["watch", "--yes", "--every-usd", "0"]],
  [["watch", "--yes", "--keep-sol", "0x1"]],
  [["topup", "0", "--yes"]],
  [["allowance", "set", "0", "--yes"]],
  [["allowance", "set", "-1", "--yes"]],
  [["status", "--profile", "missing"]],
  [["save", "4", "--frobnicate"]],
  [["leave"]],
])("the arguments %j are refused with a message", async (argv) => {
  const { service, run } = createCliUser();
  const { exitCode, outputLines, errorLines } = await run(argv);
  expect({ exitCode, outputLines }).toEqual({ exitCode: 2, outputLines: [] });
  expect(errorLines.join("\n")).toMatch(/\w/);
  expect(countSentTransactions(service)).toBe(0);
});

test.each(["watch", "mcp"])("%s refuses an empty ROUNDUP_KEEP_SOL", async (name) => {
  const { run } = createCliUser();
  vi.stubEnv("ROUNDUP_KEEP_SOL", "");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { exitCode, errorLines } = await run([name, "--yes"]);
  expect([exitCode, errorLines.join("\n")]).toEqual([2, expect.stringContaining("ROUNDUP_KEEP_SOL")]);
});

test.each([[["save", "4", "--frobnicate"]], [["status", "--url", "nowhere"]], [["watch"]]])(
  "the error of %j is one line of JSON with --json",
  async (argv) => {
    const { run } = createCliUser();
    const { exitCode, outputLines, errorLines } = await run([...argv, "--json"]);
    expect({ exitCode, errorLines, lines: outputLines.length }).toEqual({ exitCode: 2, errorLines: [], lines: 1 });
    expect(JSON.parse(outputLines[0]!)).toEqual({ status: "usage", error: { message: expect.stringMatching(/\w/) } });
  },
);

test("the allowance is shown, set and revoked", async () => {
  const { run } = createCliUser();
  const readAllowance = async () => (await run(["allowance"])).outputLines.join("\n");
  expect(await readAllowance()).toMatch(/may take +nothing$/);
  expect(await run(["allowance", "revoke", "--yes"])).toMatchObject({
    exitCode: 3,
    errorLines: ["There is no allowance to end."],
  });
  const set = await run(["allowance", "set", "25", "--yes"]);
  expect([set.exitCode, set.outputLines.join("\n")]).toEqual([
    0,
    expect.stringContaining("$25.00 of your USDC, at most"),
  ]);
  expect(set.outputLines.join("\n")).toMatch(/^Allowance of \$25.00: \w+$/m);
  expect(await readAllowance()).toMatch(/may take +\$25.00$/);
  expect((await run(["allowance", "revoke", "--yes"])).exitCode).toBe(0);
  expect(await readAllowance()).toMatch(/may take +nothing$/);
});

test("config stores options that a command line or the environment can override", async () => {
  const { run } = createCliUser();
  const readPlan = async (...argv: string[]) => {
    const { outputLines } = await run(["save", "4.02", "--yes", "--dry-run", "--json", ...argv]);
    return JSON.parse(outputLines.join("\n")).build.breakdown.plan;
  };
  expect(await run(["config", "set", "plan", "forest"])).toEqual({ exitCode: 0, outputLines: [], errorLines: [] });
  expect((await run(["config"])).outputLines).toEqual(["plan  forest"]);
  expect(await readPlan()).toBe("forest");
  expect(await readPlan("--plan", "seed")).toBe("seed");
  vi.stubEnv("ROUNDUP_PLAN", "tree");
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await readPlan()).toBe("tree");
  vi.unstubAllEnvs();
  await run(["config", "set", "plan", "seed", "--profile", "other"]);
  expect([await readPlan(), await readPlan("--profile", "other")]).toEqual(["forest", "seed"]);
  await run(["config", "unset", "plan"]);
  expect(await readPlan()).toBe("sprout");
});

test("config refuses invalid values, and options that give consent", async () => {
  const home = createFolderForTest();
  const refusedValues = { plan: "oak", "every-usd": "0", yes: "true", "accept-price": "true" };
  for (const [name, value] of Object.entries(refusedValues)) {
    const { exitCode, errorLines } = await runCommand(["config", "set", name, value], { home });
    expect([exitCode, errorLines.join("")]).toEqual([2, expect.stringMatching(/\w/)]);
  }
  expect((await runCommand(["config"], { home })).outputLines).toEqual([]);
});

/** Creates a service with one API key, and records each request for keys or an airdrop. */
function createKeyService() {
  const { run, service } = createCliUser();
  const requests: string[] = [];
  const fetch: NonNullable<typeof service.fetch> = async (address, init) => {
    const { pathname } = new URL(address);
    if (!/^\/api\/(keys|sandbox)/.test(pathname)) return service.fetch!(address, init);
    const headers = init.headers as Record<string, string>;
    requests.push(`${init.method} ${pathname} ${init.body ?? ""}${headers["x-signature"] ? "" : " unsigned"}`.trim());
    const data = pathname.endsWith("generate") ? generateKeyContract.exampleAnswer : listKeysContract.exampleAnswer;
    return Response.json({ ok: true, data: pathname.includes("sandbox") ? { sol: 2, txSignature: "sig" } : data });
  };
  return { requests, run: (...argv: string[]) => run(argv, { fetch }) };
}

test("every action of keys carries a wallet signature", async () => {
  const { run, requests } = createKeyService();
  const [key] = listKeysContract.exampleAnswer.keys;
  const line = `${key!.id}  expires ${key!.expiresAt}  last used never  agent`;
  expect(await run("keys")).toEqual({ exitCode: 0, outputLines: [line], errorLines: [] });
  expect((await run("keys", "create", "agent", "--expires-in-days", "30")).outputLines).toEqual([
    generateKeyContract.exampleAnswer.apiKey,
  ]);
  expect((await run("keys", "revoke", "a/b")).outputLines).toEqual(["Revoked a/b."]);
  expect(requests).toEqual([
    "GET /api/keys",
    'POST /api/keys/generate {"name":"agent","expiresInDays":30}',
    "DELETE /api/keys/a%2Fb",
  ]);
});

test("the command exits with 0 when the reader closes the pipe", async () => {
  const child = spawn(process.execPath, ["--import", "tsx", "lib/cli/main.ts", "--help"]);
  child.stdout.destroy();
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  expect(await once(child, "close")).toEqual([0, null]);
  expect(stderr).toBe("");
});

const COMMANDS = (
  "status address activity spending prices save topup invest sell withdraw allowance " +
  "watch listen recover keys airdrop mcp config"
).split(" ");

/** Extracts from a help text what scripts rely on: arguments, options with their settings, subcommands and exit codes. */
function parseInterface(help: string): string[] {
  const commandHelp = help.replace(/\n\nGlobal Options:\n.*?(\n\n|$)/s, "\n\n").replaceAll(/\n {3,}/g, "  ");
  const entries = commandHelp.split("\n").filter((line) => line.startsWith("  ") && !line.startsWith("  -h,"));
  return entries.map((entry) => {
    const [term = "", ...words] = entry.trim().split(/ {2,}/);
    if (/^\d$/.test(term)) return entry;
    const [settings = ""] = words.join(" ").match(/\((choices|default|env):[^)]*\)$/) ?? [];
    return `  ${term} ${settings}`.trimEnd();
  });
}

test("every command keeps its recorded interface", async () => {
  const lines: string[] = [];
  for (const name of ["", ...COMMANDS]) {
    const { exitCode, outputLines } = await runCommand([name, "--help"].filter(Boolean));
    expect(exitCode, name).toBe(0);
    lines.push(`roundup ${name}`.trim(), ...parseInterface(outputLines.join("\n")));
  }
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("interface.txt");
});
