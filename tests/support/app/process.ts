import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { createInterface } from "node:readline";

export type RunningProcess = ReturnType<typeof runNode>;

interface RunOptions {
  /** The program. Default: node. */
  command?: string;
  env?: Record<string, string>;
  cwd?: string;
  /** File to which every line is appended. */
  logFile?: string;
}

/** Timeout of a line, ms. Shorter than the tests' timeouts, so that the error can quote lines. */
const LINE_TIMEOUT_MS = 110_000;

/** Starts `node ...args` in production mode. It inherits only PATH, HOME and TMPDIR from this process. */
export function runNode(args: string[], options: RunOptions = {}) {
  const { command = process.execPath, env = {}, cwd = process.cwd(), logFile } = options;
  const { PATH = "", HOME = "", TMPDIR } = process.env;
  const fixedEnv = { NODE_ENV: "production" as const, NEXT_TELEMETRY_DISABLED: "1", DRAIN_SECONDS: "0" };
  const childEnv = { PATH, HOME, ...(TMPDIR && { TMPDIR }), ...fixedEnv, ...env };
  const child = spawn(command, args, { cwd, env: childEnv, stdio: ["ignore", "pipe", "pipe"] });
  const log = logFile ? createWriteStream(logFile, { flags: "a" }) : null;
  /** Every line of standard output and error so far. */
  const lines: string[] = [];
  const watchers = new Set<(line: string) => void>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      log?.write(`${line}\n`);
      for (const watch of watchers) watch(line);
    });
  }
  /** Null when a signal ended the process. */
  const exitCode = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  void exitCode.then(() => log?.end());

  return {
    child,
    lines,
    exitCode,
    /**
     * Resolves with the first value that `read` returns for a past or future line.
     * @throws Error when the process ends first or LINE_TIMEOUT_MS pass
     */
    waitForLine: <T>(read: (line: string) => T | undefined | null): Promise<T> =>
      new Promise((resolve, reject) => {
        const fail = (reason: string) =>
          reject(new Error(`${reason}; its last lines:\n${lines.slice(-15).join("\n")}`));
        const timer = setTimeout(() => fail("the process did not print the line in time"), LINE_TIMEOUT_MS);
        const watch = (line: string) => {
          const value = read(line);
          if (value === undefined || value === null) return;
          clearTimeout(timer);
          watchers.delete(watch);
          resolve(value);
        };
        watchers.add(watch);
        void exitCode.then((code) => {
          clearTimeout(timer);
          fail(`the process ended with ${code}`);
        });
        for (const line of [...lines]) watch(line);
      }),
    /** Sends the signal and waits for the process to end. @returns `exitCode` */
    stop: (signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return exitCode;
    },
  };
}
