import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Io } from "../../../lib/sdk/cli/io";
import { temporaryFolder } from "../chain/sandbox-rig";
import { type Answer, aService } from "../worlds/sdk-service";
import { runTold } from "./cli-rig";

/** A person's folder with the key file of `sdk-service`'s owner, as the Solana CLI keeps it. */
export async function aKeyFile() {
  const home = await temporaryFolder();
  const keypair = join(home, "id.json");
  writeFileSync(keypair, JSON.stringify([...new Uint8Array(32).fill(7)]));
  return { home, keypair };
}

/** A person's folder with a key file, and a service that answers execute so. */
export async function aPerson(...answers: Answer[]) {
  const service = aService(...answers);
  const { home, keypair } = await aKeyFile();
  const run = (argv: string[], changes: Partial<Io> = {}) =>
    runTold([...argv, "--keypair", keypair], { home, fetch: service.fetch!, clock: service.clock, ...changes });
  return { service, run, home };
}
