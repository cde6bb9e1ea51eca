import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Processes, takeLock } from "../../../process-lock";
import type { Lock, Storage } from "../../platform";

/** Returns the path of the file with this name in a folder. Encodes special characters, so any name is safe. */
const toFilePath = (folder: string, name: string, extension: string) =>
  join(folder, `${encodeURIComponent(name)}.${extension}`);

/**
 * Creates a storage that keeps each text in its own file of a folder. Only the user can read the files. After a crash, a
 * file has either its old or its new content.
 */
export function createFileStorage(folder: string): Storage {
  const toPath = (key: string) => toFilePath(folder, key, "json");
  return {
    get(key) {
      try {
        return readFileSync(toPath(key), "utf8");
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
        throw error;
      }
    },
    set(key, value) {
      const path = toPath(key);
      if (value === null) return rmSync(path, { force: true });
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const draftPath = `${path}.${randomBytes(6).toString("hex")}`;
      writeFileSync(draftPath, value, { mode: 0o600, flush: true });
      renameSync(draftPath, path);
    },
  };
}

/** How often the holder renews a lock, and how long it may be silent before another program takes the lock, ms. */
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
