import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./sandbox-rig";

/** A person's folder with the key file of `sdk-service`'s owner, as the Solana CLI keeps it. */
export async function aKeyFile() {
  const home = await temporaryFolder();
  const keypair = join(home, "id.json");
  writeFileSync(keypair, JSON.stringify([...new Uint8Array(32).fill(7)]));
  return { home, keypair };
}
