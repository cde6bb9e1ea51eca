import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

/**
 * Options that run a program in a new PID namespace with the same host name, like a container on the host's network.
 */
const UNSHARE_OPTIONS = ["--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"];

/** True if an unprivileged process can create PID namespaces on this machine. */
export const hasNamespaces = spawnSync("unshare", [...UNSHARE_OPTIONS, "true"]).status === 0;

/** Starts tests/support/store/lock-child.ts in another PID namespace. Resolves when the child holds the lock. */
export async function holdLockInNamespace(folder: string) {
  const command = [process.execPath, "--import", "tsx", "tests/support/store/lock-child.ts", folder];
  const child = spawn("unshare", [...UNSHARE_OPTIONS, ...command], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  for await (const line of createInterface({ input: child.stdout })) if (line === "held") break;
  return {
    async crash() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}
