import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { createInterface } from "node:readline";

export interface RunningProcess {
  child: ChildProcess;
  /** Every line of standard output and error so far. */
  lines: string[];
  /** The first line, past or to come, for which `read` gives a value. @throws when the process ends first or WAIT_MS pass */
  find<T>(read: (line: string) => T | undefined | null): Promise<T>;
  /** Sends the signal and waits for the end. @returns exit code, or null after a signal */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  ended: Promise<number | null>;
}

export interface RunOptions {
  env?: Record<string, string>;
  cwd?: string;
  /** Also append every line to this file. */
  logFile?: string;
}

/** Less than the tests that wait for a start are given, so that they can say what it said last. */
const WAIT_MS = 110_000;

/** Starts `node ...args` with nothing in its environment but PATH, HOME and what is given. */
export function runNode(args: string[], { env = {}, cwd = process.cwd(), logFile }: RunOptions = {}): RunningProcess {
  const { PATH = "", HOME = "", TMPDIR } = process.env;
  const base = {
    PATH,
    HOME,
    NODE_ENV: "production" as const,
    NEXT_TELEMETRY_DISABLED: "1",
    DRAIN_SECONDS: "0",
    ...(TMPDIR && { TMPDIR }),
  };
  const child = spawn(process.execPath, args, { cwd, env: { ...base, ...env }, stdio: ["ignore", "pipe", "pipe"] });
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
    find: (read) =>
      new Promise((resolve, reject) => {
        const fail = (why: string) => reject(new Error(`${why}; its last lines:\n${lines.slice(-15).join("\n")}`));
        const timer = setTimeout(() => fail("the process did not say it in time"), WAIT_MS);
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
