import { describe, expect, test } from "vitest";
import { START_ARGS } from "../support/app/app";
import { NO_CHAIN_SETTINGS } from "../support/app/app-for-file";
import { runNode } from "../support/app/process";
import { createFolderForFile } from "../support/store/temp-folder";

/* An invalid configuration ends the process before it listens, with code 1 and one line that names the variable. */

const dataDir = createFolderForFile();

const NEXT_ARGS = ["node_modules/next/dist/bin/next", "start", "-H", "127.0.0.1", "-p", "0"];

async function runUntilExit(args: string[], env: Record<string, string>) {
  const { exitCode, lines } = runNode(args, { env: { PORT: "0", DATA_DIR: dataDir, SANDBOX_PORT: "0", ...env } });
  return { code: await exitCode, lines };
}

const MAINNET_SETTINGS = {
  NETWORK: "mainnet",
  WALLET_ORIGIN: "https://roundup.example",
  SOLANA_RPC_URL: "https://rpc.example",
  FEE_COLLECTORS: NO_CHAIN_SETTINGS.FEE_COLLECTORS,
};
const SHORT_KEY = "short-static-key-0123456789";

/** A refused setting for each part of the code that refuses settings. tests/unit/env.test.ts covers every setting. */
const REFUSED_SETTINGS: [what: string, env: Record<string, string>, expectedTexts: string[]][] = [
  ["a static key that is too short", { API_KEYS: `${"k".repeat(32)},${SHORT_KEY}` }, ["API_KEYS", "32 characters"]],
  [
    "mainnet with a store that does not answer",
    { ...MAINNET_SETTINGS, KV_REST_API_URL: "http://127.0.0.1:9", KV_REST_API_TOKEN: "token" },
    ["KV_REST_API_URL", "the store does not answer"],
  ],
  [
    "a data folder whose path is a file",
    { ...NO_CHAIN_SETTINGS, DATA_DIR: "package.json" },
    ["DATA_DIR", "package.json/store"],
  ],
  ["a remote sandbox without its fee collectors", { SANDBOX_URL: NO_CHAIN_SETTINGS.SANDBOX_URL }, ["FEE_COLLECTORS"]],
];

describe("server.ts exits with 1 and one line for", () => {
  test.concurrent.each(REFUSED_SETTINGS)("%s", async (_caseName, env, expectedTexts) => {
    const { code, lines } = await runUntilExit(START_ARGS, env);
    expect(lines).toEqual([expect.any(String)]);
    for (const text of expectedTexts) expect(lines[0]).toContain(text);
    expect(lines[0]).not.toContain(SHORT_KEY);
    expect(lines[0]).not.toMatch(/\bat .+:\d+/);
    expect(code).toBe(1);
  });
});

describe("`next start` exits with 1 and one line of the service for", () => {
  const REFUSED_NEXT_SETTINGS: [what: string, env: Record<string, string>, variable: string][] = [
    ["a missing CLIENT_IP", NO_CHAIN_SETTINGS, "CLIENT_IP"],
    ["proxies' networks in CLIENT_IP", { ...NO_CHAIN_SETTINGS, CLIENT_IP: "proxy:1@10.0.0.0/8" }, "CLIENT_IP"],
    ["a missing SANDBOX_URL", { CLIENT_IP: "proxy:1" }, "SANDBOX_URL"],
  ];
  test.concurrent.each(REFUSED_NEXT_SETTINGS)("%s", async (_caseName, env, variable) => {
    const { code, lines } = await runUntilExit(NEXT_ARGS, env);
    const serviceLines = lines.filter((line) => line.includes(variable));
    expect({ serviceLines, lines }).toEqual({ serviceLines: [expect.any(String)], lines });
    expect(lines.join("\n")).not.toMatch(/\n\s+at /);
    expect(code).toBe(1);
  });
});
