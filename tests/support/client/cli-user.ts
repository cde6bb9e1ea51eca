import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Io } from "../../../lib/sdk/cli/io";
import { createFolderForTest } from "../store/temp-folder";
import { type Answer, createSdkService } from "../worlds/sdk-service";
import { runCommand } from "./cli-rig";

/** Creates a folder with the key file of `sdk-service`'s owner, in the format of the Solana CLI. */
export function createKeyFile() {
  const home = createFolderForTest();
  const keypair = join(home, "id.json");
  writeFileSync(keypair, JSON.stringify([...new Uint8Array(32).fill(7)]));
  return { home, keypair };
}

/** Creates a folder with a key file, and a service whose `execute` returns these answers in turn. */
export function createCliUser(...answers: Answer[]) {
  const service = createSdkService(...answers);
  const { home, keypair } = createKeyFile();
  const run = (argv: string[], changes: Partial<Io> = {}) =>
    runCommand([...argv, "--keypair", keypair], { home, fetch: service.fetch!, clock: service.clock, ...changes });
  return { service, run, home };
}
