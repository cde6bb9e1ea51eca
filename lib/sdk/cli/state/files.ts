import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Storage } from "../../world";

/** Returns the path of the file with this name in a folder. Encodes special characters, so any name is safe. */
export const toFilePath = (folder: string, name: string, extension: string) =>
  join(folder, `${encodeURIComponent(name)}.${extension}`);

/** Returns true if a file operation failed with this error code, e.g. ENOENT. */
export const hasErrorCode = (error: unknown, code: string) => (error as NodeJS.ErrnoException).code === code;

/** Creates or replaces a file atomically: after a crash, the file has either its old or its new content. */
function replaceFile(path: string, text: string): void {
  const draftPath = `${path}.${randomBytes(6).toString("hex")}`;
  writeFileSync(draftPath, text, { mode: 0o600, flush: true });
  renameSync(draftPath, path);
}

/** Creates a storage that keeps each text in its own file of a folder. Only the user can read the files. */
export function createFileStorage(folder: string): Storage {
  const toPath = (key: string) => toFilePath(folder, key, "json");
  return {
    get(key) {
      try {
        return readFileSync(toPath(key), "utf8");
      } catch (error) {
        if (hasErrorCode(error, "ENOENT")) return null;
        throw error;
      }
    },
    set(key, value) {
      if (value === null) rmSync(toPath(key), { force: true });
      else {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        replaceFile(toPath(key), value);
      }
    },
  };
}
