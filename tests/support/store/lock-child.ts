/*
 * Runs as a separate process for tests of the locks. `lock-child.ts state <folder>` holds the lock `roundup-run:wallet`
 * of a state folder. `lock-child.ts sandbox <folder>` holds a sandbox's folder. Both print `held` and keep the lock
 * until they are killed.
 */
import { lockDirectory } from "../../../lib/sandbox/lock";
import { createFileLock } from "../../../lib/sdk/cli/state/file-lock";

const [kind, folder] = process.argv.slice(2);
if (!folder) throw new Error("usage: lock-child.ts state | sandbox <folder>");

if (kind === "sandbox") {
  lockDirectory(folder);
  console.log("held");
  setInterval(() => {}, 60_000);
} else {
  await createFileLock(folder)("roundup-run:wallet", () => {
    console.log("held");
    return new Promise<void>(() => {});
  });
}
