import { mkdirSync } from "node:fs";
import { type Processes, takeLock } from "../../../process-lock";
import type { Lock } from "../../world";
import { toFilePath } from "./files";

const LOCK_TIMES = { touchEveryMs: 10_000, maxSilenceMs: 120_000 };

/** Creates a lock that all programs which use a folder share. It creates the folder if there is none. */
export function createFileLock(folder: string, processes?: Processes): Lock {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return async (name, task) => {
    const release = takeLock(toFilePath(folder, name, "lock"), LOCK_TIMES, processes);
    if (!release) return false;
    try {
      await task();
    } finally {
      release();
    }
    return true;
  };
}
