import { join } from "node:path";
import { runNode } from "./process";

export type SandboxProgram = Awaited<ReturnType<typeof startSandboxProgram>>;

/** Starts a sandbox with fixed prices. @param program arguments of node: the path of its bundle, after any options */
export async function startSandboxProgram(program: string[], dataDir: string, logFile?: string) {
  const args = [...program, "--port", "0", "--prices", "fixed", "--data-dir", dataDir];
  const sandbox = runNode(args, { logFile });
  const url = await sandbox.waitForLine((line) => /^SANDBOX_URL=(.+)$/.exec(line)?.[1]);
  const feeCollectors = await sandbox.waitForLine((line) => /^FEE_COLLECTORS=(.+)$/.exec(line)?.[1]);
  return { ...sandbox, url, settings: { SANDBOX_URL: url, FEE_COLLECTORS: feeCollectors } };
}

/** Starts a sandbox whose faults tests may set, with its data where a server would put them. */
export const startFaultySandbox = (serverDataDir: string, logFile?: string) =>
  startSandboxProgram(
    ["--import", "tsx", "tests/support/app/faulty-sandbox.ts"],
    join(serverDataDir, "chain"),
    logFile,
  );
