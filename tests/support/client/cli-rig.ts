import type { Io } from "../../../lib/cli/io";
import { runCli } from "../../../lib/cli/program";
import { createFolderForTest } from "../store/temp-folder";

/**
 * Runs the command in an environment where everything that `overrides` does not name is absent.
 * @returns its exit code, and the lines of standard output and standard error
 */
export async function runCommand(argv: string[], overrides: Partial<Io> = {}) {
  const outputLines: string[] = [];
  const errorLines: string[] = [];
  const io: Io = {
    env: {},
    home: overrides.home ?? createFolderForTest(),
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
