import { join } from "node:path";
import { runNode } from "./process";

export type SandboxProgram = Awaited<ReturnType<typeof startSandboxProgram>>;

interface SandboxProgramOptions {
  logFile?: string;
  /** The arguments of node before the program. Default: none. */
  nodeArgs?: string[];
}

/** Starts a sandbox with fixed prices. @param programPath path of its bundle */
export async function startSandboxProgram(programPath: string, dataDir: string, options: SandboxProgramOptions = {}) {
  const { nodeArgs = [], logFile } = options;
  const args = [...nodeArgs, programPath, "--port", "0", "--prices", "fixed", "--data-dir", dataDir];
  const sandbox = runNode(args, { logFile });
  const url = await sandbox.waitForLine((line) => /^SANDBOX_URL=(.+)$/.exec(line)?.[1]);
  const feeCollectors = await sandbox.waitForLine((line) => /^FEE_COLLECTORS=(.+)$/.exec(line)?.[1]);
  return { ...sandbox, url, settings: { SANDBOX_URL: url, FEE_COLLECTORS: feeCollectors } };
}

/** Starts a sandbox whose faults tests may set, with its data where a server would put them. */
export const startFaultySandbox = (serverDataDir: string, logFile?: string) =>
  startSandboxProgram("tests/support/app/faulty-sandbox.ts", join(serverDataDir, "chain"), {
    nodeArgs: ["--import", "tsx"],
    logFile,
  });
