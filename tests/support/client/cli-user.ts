import { writeFileSync } from "node:fs";
import { join } from "node:path";
import nacl from "tweetnacl";
import type { Io } from "../../../lib/cli/io";
import { runCli } from "../../../lib/cli/program";
import { createFolderForTest } from "../store/temp-folder";
import { type Answer, createSdkService } from "../worlds/sdk-service";

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

/** Creates a folder with the key file of `sdk-service`'s owner, in the format of the Solana CLI. */
export function createKeyFile() {
  const home = createFolderForTest();
  const keypairPath = join(home, "id.json");
  writeFileSync(keypairPath, JSON.stringify([...nacl.sign.keyPair.fromSeed(new Uint8Array(32).fill(7)).secretKey]));
  return { home, keypairPath };
}

/** Creates a folder with a key file, and a service whose `execute` returns these answers in turn. */
export function createCliUser(...answers: Answer[]) {
  const service = createSdkService(...answers);
  const { home, keypairPath } = createKeyFile();
  const run = (argv: string[], overrides: Partial<Io> = {}) =>
    runCommand([...argv, "--keypair", keypairPath], {
      home,
      fetch: service.fetch!,
      clock: service.clock,
      ...overrides,
    });
  return { service, run, home };
}
