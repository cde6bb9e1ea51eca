/* `lock-child.ts <folder>` holds the lock `roundup-run:wallet` of a state folder, prints `held`, and waits. */
import { createFileLock } from "../../../lib/cli/state/file-storage";

const [folder] = process.argv.slice(2);
if (!folder) throw new Error("usage: lock-child.ts <folder>");

await createFileLock(folder)("roundup-run:wallet", () => {
  console.log("held");
  return new Promise<void>(() => {});
});
