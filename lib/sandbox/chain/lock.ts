import { readFileSync, readlinkSync, rmSync, statSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const LOCK_FILE = "sandbox.lock";

/** Interval of the holder's heartbeat, and the silence after which a holder in another container counts as dead. */
const BEAT_MS = 2_000;
const SILENT_MS = 15_000;

/** Reads a process's state from the kernel. Null when the process does not exist. */
function statOf(pid: number): { state: string; started: string } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // Fields 3 and 22, counted from the last ")": the command name in parentheses may contain anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", started: fields[19] ?? "" };
  } catch {
    return null;
  }
}

/**
 * Returns a process's start time in kernel ticks. Process ids are reused, especially in containers, so the id alone
 * could make a dead process's lock look live.
 */
const startOf = (pid: number) => statOf(pid)?.started ?? "";

function isAlive(pid: number): boolean {
  // A zombie is dead but not reaped. If its parent was killed too, it may stay a zombie for long.
  if (statOf(pid)?.state === "Z") return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Identifies the boot and PID namespace, within which process ids are unique. Empty outside Linux. */
function processSpace(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot}/${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return "";
  }
}

/** Describes the lock's living holder. Null when the holder is dead, or when the file names none. */
function holderOf(path: string, now: () => number): string | null {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return null;
  }
  const [first = "", started = "", space] = text.trim().split(" ");
  const pid = Number(first);
  if (!Number.isSafeInteger(pid) || pid <= 0) return null;
  // Locks of older versions have no namespace. Compare them by process id alone.
  if (space !== undefined && space !== processSpace()) {
    const touchedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const isSilent = now() - touchedAt > SILENT_MS;
    return isSilent ? null : `a process of another container, or was within the last ${SILENT_MS / 1000} seconds`;
  }
  return isAlive(pid) && started === startOf(pid) ? `process ${pid}` : null;
}

/**
 * Locks the directory for this process.
 * @returns a function that releases the lock
 * @throws {Error} with a sentence when another living process holds the lock
 */
export function lockDirectory(directory: string, now = Date.now): () => void {
  const path = join(directory, LOCK_FILE);
  const mine = `${[process.pid, startOf(process.pid), processSpace()].join(" ").trim()}\n`;
  const take = () => writeFileSync(path, mine, { flag: "wx" });
  try {
    take();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const holder = holderOf(path, now);
    if (holder !== null) {
      throw new Error(
        `The sandbox data in ${directory} is in use by ${holder}. Stop that sandbox or use another data directory.`,
      );
    }
    rmSync(path, { force: true });
    take();
  }
  const beat = setInterval(() => touch(path), BEAT_MS);
  beat.unref();
  return () => {
    clearInterval(beat);
    try {
      if (readFileSync(path, "utf8") === mine) unlinkSync(path);
    } catch {
      // The file is gone, perhaps with its directory. The lock is released either way.
    }
  };
}

function touch(path: string): void {
  try {
    utimesSync(path, new Date(), new Date());
  } catch {
    // The file is gone with its directory, so there is no lock to refresh.
  }
}
