import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Storage } from "../../world";

/** A folder's file of this name, whatever characters the name has. */
export const fileOf = (folder: string, name: string, ending: string) =>
  join(folder, `${encodeURIComponent(name)}.${ending}`);

/** Whether a file operation failed for this reason, e.g. ENOENT. */
export const failedFor = (error: unknown, code: string) => (error as NodeJS.ErrnoException).code === code;

/** Creates a file with its content, or replaces it, whole: a crash leaves the old one or the new one. */
function replaceFile(path: string, text: string): void {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  renameSync(draft, path);
}

/** The SDK's memory in a folder of its own, a file for each key. It holds no secrets, and is the person's own all the same. */
export function fileStorage(folder: string): Storage {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const pathOf = (key: string) => fileOf(folder, key, "json");
  return {
    get(key) {
      try {
        return readFileSync(pathOf(key), "utf8");
      } catch (error) {
        if (failedFor(error, "ENOENT")) return null;
        throw error;
      }
    },
    set(key, value) {
      if (value === null) rmSync(pathOf(key), { force: true });
      else replaceFile(pathOf(key), value);
    },
  };
}
