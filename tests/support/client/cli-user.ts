import { writeFileSync } from "node:fs";
import { join } from "node:path";
import nacl from "tweetnacl";
import type { Io } from "../../../lib/cli/io";
import { createFolderForTest } from "../store/temp-folder";
import { type Answer, createSdkService } from "../worlds/sdk-service";
import { runCommand } from "./cli-rig";

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
