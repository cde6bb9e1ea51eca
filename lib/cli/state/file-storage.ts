import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { expandHome } from "../../domain/home-path";
import { type Processes, takeLock } from "../../process-lock";
import type { Lock, Storage } from "../../sdk/platform";
import type { Io } from "../io";
import { UsageError, withUsageErrors } from "../usage-error";

/** Encodes special characters, so any name is safe. */
const toFilePath = (folder: string, name: string, extension: string) =>
  join(folder, `${encodeURIComponent(name)}.${extension}`);

/** Writes to a folder, and creates it first if it is missing. @throws {Error} with a sentence, which `advice` follows */
function writeToFolder<T>(folder: string, advice: string, write: () => T): T {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return write();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === undefined) throw cause;
    throw new Error(`The folder ${folder} cannot be written (${code}). ${advice}`.trimEnd(), { cause });
  }
}

/**
 * Creates a storage that keeps each text in its own file, which only the user can read. After a crash, a file has either
 * its old or its new content. @param advice tells the user what to do when the folder cannot be used
 */
export function createFileStorage(folder: string, advice = ""): Storage {
  const toPath = (key: string) => toFilePath(folder, key, "json");
  return {
    get(key) {
      try {
        return readFileSync(toPath(key), "utf8");
      } catch (cause) {
        const { code } = cause as NodeJS.ErrnoException;
        if (code === "ENOENT") return null;
        throw new Error(`The file ${toPath(key)} cannot be read (${code}). ${advice}`.trimEnd(), { cause });
      }
    },
    set(key, value) {
      const path = toPath(key);
      if (value === null) return rmSync(path, { force: true });
      writeToFolder(folder, advice, () => {
        const draftPath = `${path}.${randomBytes(6).toString("hex")}`;
        writeFileSync(draftPath, value, { mode: 0o600, flush: true });
        renameSync(draftPath, path);
      });
    },
  };
}

/** How often the holder renews a lock, and how long it may be silent before another program takes the lock, ms. */
const LOCK_TIMES = { touchEveryMs: 10_000, maxSilenceMs: 120_000 };

/** Creates a lock that all programs which use a folder share. @throws {Error} when the folder cannot be written */
export function createFileLock(
  folder: string,
  { advice = "", processes }: { advice?: string; processes?: Processes } = {},
): Lock {
  writeToFolder(folder, advice, () => {});
  return async (name, task) => {
    const path = toFilePath(folder, name, "lock");
    const release = writeToFolder(folder, advice, () => takeLock(path, LOCK_TIMES, processes));
    if (!release) return false;
    try {
      await task();
    } finally {
      release();
    }
    return true;
  };
}

/** The default of each variable, below the home folder. Source: XDG Base Directory Specification 0.8. */
const DEFAULT_FOLDERS = { XDG_CONFIG_HOME: ".config", XDG_STATE_HOME: ".local/state" };

/**
 * Returns the folder that a variable of the XDG standard names, which ignores relative paths.
 * @throws {UsageError} when neither the variable nor HOME names a folder
 */
export function findBaseFolder({ env, home }: Pick<Io, "env" | "home">, variable: keyof typeof DEFAULT_FOLDERS) {
  const namedFolder = withUsageErrors(() => expandHome(env[variable] ?? "", home));
  const folder = isAbsolute(namedFolder) ? namedFolder : join(home, DEFAULT_FOLDERS[variable]);
  if (!isAbsolute(folder)) throw new UsageError(`There is no home folder. Set HOME, or ${variable} to a folder.`);
  return { folder, advice: `${variable} can name another folder.` };
}
