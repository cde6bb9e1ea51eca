import { readFileSync, readlinkSync, rmSync, statSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const LOCK_FILE = "sandbox.lock";

/** How often a holder touches its file, and after how long without that a holder in another container counts as gone. */
const BEAT_MS = 2_000;
const SILENT_MS = 15_000;

/** What the kernel says of a process; null where there is no such file. */
function statOf(pid: number): { state: string; started: string } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // Fields 3 and 22; counted after the command name, which may hold anything but is the last thing in parentheses.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", started: fields[19] ?? "" };
  } catch {
    return null;
  }
}

/**
 * When the process started, as the kernel counts. A process id alone is reused, in a container nearly always, and would
 * make the lock of a dead process look like a live one's.
 */
const startOf = (pid: number) => statOf(pid)?.started ?? "";

function isAlive(pid: number): boolean {
  // Dead, only not yet reaped: after both parent and child were killed that may take its time, or never happen.
  if (statOf(pid)?.state === "Z") return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Boot and PID namespace: process ids mean something only within one. Empty outside Linux. */
function processSpace(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot}/${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return "";
  }
}

/** Names the lock's living holder. Null when the holder is gone, or when the file names none. */
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
  // Locks of older versions name no namespace. Compare them by process id alone.
  if (space !== undefined && space !== processSpace()) {
    const touchedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const isSilent = now() - touchedAt > SILENT_MS;
    return isSilent ? null : `a process of another container, or was within the last ${SILENT_MS / 1000} seconds`;
  }
  return isAlive(pid) && started === startOf(pid) ? `process ${pid}` : null;
}

/**
 * Makes this process the only one that uses the directory.
 * @returns gives it free again
 * @throws {Error} with a sentence when another living process has it
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
      // Gone already, with the whole directory perhaps: it is free either way.
    }
  };
}

function touch(path: string): void {
  try {
    utimesSync(path, new Date(), new Date());
  } catch {
    // Gone with its directory: there is nothing to keep alive.
  }
}
