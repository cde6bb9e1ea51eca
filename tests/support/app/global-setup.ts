import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { createTempFolder, removeFolder, startNextApp, startServerApp } from "./app";
import { startProxy } from "./proxy";
import { startFaultySandbox } from "./sandbox-program";

/** Addresses and secrets of the running apps, provided to the tests. */
export interface SharedApps {
  server: string;
  next: string;
  /** The sandbox's JSON-RPC, whose state both servers share. */
  rpc: string;
  feeCollectors: string[];
  /** Folder with the responses, secrets and logs of this run, for the canary. */
  recordings: string;
  dataDir: string;
  /** A static API key that both apps accept. */
  apiKey: string;
}

declare module "vitest" {
  interface ProvidedContext {
    serverKind: "server" | "next";
    apps: SharedApps;
  }
}

const STATIC_KEY = "static-test-key-0123456789abcdef0123456789abcdef";

/** Projects whose tests start the processes that they need. */
const SELF_SUFFICIENT_PROJECTS = ["unit", "process", "slow"];

/** Starts one sandbox and both apps for the whole run, unless no selected project uses them. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  // Every project inherits this file and would start its own apps. The values of the root project reach all projects.
  if (!project.isRootProject()) return undefined;
  const selectedProjects = project.vitest.config.project;
  if (selectedProjects.length > 0 && [selectedProjects].flat().every((name) => SELF_SUFFICIENT_PROJECTS.includes(name)))
    return undefined;
  if (!existsSync(".next/BUILD_ID")) throw new Error("There is no build: run `npm run build` first (npm test does).");

  const recordings = join(process.cwd(), "tests/.tmp/api");
  await rm(recordings, { recursive: true, force: true });
  await mkdir(recordings, { recursive: true });
  const dataDir = createTempFolder();
  const env = { API_KEYS: STATIC_KEY };
  const sandbox = await startFaultySandbox(dataDir, join(recordings, "sandbox.log"));
  const settings = { ...env, ...sandbox.settings };
  const server = await startServerApp({ dataDir, env: settings, logFile: join(recordings, "server.log") });
  const next = await startNextApp({
    dataDir: join(dataDir, "next"),
    env: settings,
    logFile: join(recordings, "next.log"),
  });
  const proxy = await startStampingProxy(next.url);
  const urls = { server: server.url, next: proxy.url, rpc: sandbox.url };
  const feeCollectors = sandbox.settings.FEE_COLLECTORS.split(",");
  project.provide("apps", { ...urls, feeCollectors, recordings, dataDir, apiKey: STATIC_KEY });

  return async () => {
    await proxy.stop();
    await next.stop();
    await server.stop();
    await sandbox.stop();
    removeFolder(dataDir);
  };
}

/**
 * Starts a proxy like the one before Next on a real host: it appends the caller's address to X-Forwarded-For. In tests
 * every caller connects from loopback, so the proxy takes the address from `x-test-address`.
 */
const startStampingProxy = (target: string) =>
  startProxy(target, ({ headers: { "x-test-address": address = "127.0.0.1", connection: _, ...headers } }, forward) => {
    const addresses = [headers["x-forwarded-for"], address].filter(Boolean);
    return forward({ ...headers, "x-forwarded-for": addresses.join(", ") });
  });
