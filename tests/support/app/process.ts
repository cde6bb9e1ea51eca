import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { createInterface } from "node:readline";

export interface RunningProcess {
  child: ChildProcess;
  /** Every line of standard output and error so far. */
  lines: string[];
  /**
   * Resolves with the first value that `read` returns for a past or future line.
   * @throws Error when the process ends first or WAIT_MS pass
   */
  waitForLine<T>(read: (line: string) => T | undefined | null): Promise<T>;
  /** Sends the signal and waits for the process to end. @returns the exit code, or null when a signal ended it */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  ended: Promise<number | null>;
}

export interface RunOptions {
  env?: Record<string, string>;
  cwd?: string;
  /** Also append every line to this file. */
  logFile?: string;
}

/** Shorter than the timeout of tests that wait for a start, so the error can quote the last lines. */
const WAIT_MS = 110_000;

/** Starts `node ...args`. Its environment contains only PATH, HOME and the given variables. */
export function runNode(args: string[], { env = {}, cwd = process.cwd(), logFile }: RunOptions = {}): RunningProcess {
  const { PATH = "", HOME = "", TMPDIR } = process.env;
  const baseEnv = {
    PATH,
    HOME,
    NODE_ENV: "production" as const,
    NEXT_TELEMETRY_DISABLED: "1",
    DRAIN_SECONDS: "0",
    ...(TMPDIR && { TMPDIR }),
  };
  const child = spawn(process.execPath, args, { cwd, env: { ...baseEnv, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  const log = logFile ? createWriteStream(logFile, { flags: "a" }) : null;
  const lines: string[] = [];
  const watchers = new Set<(line: string) => void>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      log?.write(`${line}\n`);
      for (const watch of watchers) watch(line);
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  void ended.then(() => log?.end());

  return {
    child,
    lines,
    ended,
    waitForLine: (read) =>
      new Promise((resolve, reject) => {
        const fail = (why: string) => reject(new Error(`${why}; its last lines:\n${lines.slice(-15).join("\n")}`));
        const timer = setTimeout(() => fail("the process did not print the line in time"), WAIT_MS);
        const watch = (line: string) => {
          const found = read(line);
          if (found === undefined || found === null) return;
          clearTimeout(timer);
          watchers.delete(watch);
          resolve(found);
        };
        watchers.add(watch);
        void ended.then((code) => {
          clearTimeout(timer);
          fail(`the process ended with ${code}`);
        });
        for (const line of [...lines]) watch(line);
      }),
    stop: (signal = "SIGTERM") => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return ended;
    },
  };
}
