import type { Io } from "../../../lib/sdk/cli/io";
import { runCli } from "../../../lib/sdk/cli/program";

/** Builds the command's environment. Everything that a test does not name is absent. */
function createIo(changes: Partial<Io> = {}) {
  const printed: string[] = [];
  const said: string[] = [];
  const io: Io = {
    env: {},
    home: "/nowhere",
    print: (line) => printed.push(line),
    say: (line) => said.push(line),
    ask: null,
    fetch: async () => {
      throw new TypeError("there is no network");
    },
    WebSocket: null,
    clock: { now: () => 0, sleep: async () => {} },
    random: () => 0.5,
    pause: async () => {},
    stopSignal: new AbortController().signal,
    ...changes,
  };
  return { io, printed, said };
}

/** Runs the command. @returns its exit code and all its output lines */
export async function runCommand(argv: string[], changes: Partial<Io> = {}) {
  const { io, printed, said } = createIo(changes);
  return { code: await runCli(argv, io), printed, said };
}
