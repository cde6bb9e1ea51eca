import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Io } from "../../../lib/sdk/cli/io";
import { runCli } from "../../../lib/sdk/cli/program";

/** The home folder of every run that names none. The command keeps its locks and its state in it. */
const HOME = mkdtempSync(join(tmpdir(), "roundup-home-"));

/**
 * Runs the command in an environment where everything that `overrides` does not name is absent.
 * @returns its exit code, and the lines of standard output and standard error
 */
export async function runCommand(argv: string[], overrides: Partial<Io> = {}) {
  const outputLines: string[] = [];
  const errorLines: string[] = [];
  const io: Io = {
    env: {},
    home: HOME,
    print: (line) => outputLines.push(line),
    say: (line) => errorLines.push(line),
    ask: null,
    fetch: async () => {
      throw new TypeError("there is no network");
    },
    WebSocket: null,
    clock: { now: () => 0, sleep: async () => {} },
    random: () => 0.5,
    pause: async () => {},
    stopSignal: new AbortController().signal,
    ...overrides,
  };
  return { exitCode: await runCli(argv, io), outputLines, errorLines };
}
