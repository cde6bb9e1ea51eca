import { readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const LOCK_FILE = "sandbox.lock";

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

/** Process id of the lock's holder; null when it is gone or the file is nobody's. */
function holderOf(path: string): number | null {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return null;
  }
  const [first = "", started = ""] = text.trim().split(" ");
  const pid = Number(first);
  if (!Number.isSafeInteger(pid) || pid <= 0 || !isAlive(pid)) return null;
  return started === startOf(pid) ? pid : null;
}

/**
 * Makes this process the only one that uses the directory.
 * @returns gives it free again
 * @throws {Error} with a sentence when another living process has it
 */
export function lockDirectory(directory: string): () => void {
  const path = join(directory, LOCK_FILE);
  const mine = `${process.pid} ${startOf(process.pid)}\n`;
  const take = () => writeFileSync(path, mine, { flag: "wx" });
  try {
    take();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const holder = holderOf(path);
    if (holder !== null) {
      throw new Error(
        `The sandbox data in ${directory} is in use by process ${holder}. Stop that sandbox or use another data directory.`,
      );
    }
    unlinkSync(path);
    take();
  }
  return () => {
    try {
      if (readFileSync(path, "utf8") === mine) unlinkSync(path);
    } catch {
      // Gone already, with the whole directory perhaps: it is free either way.
    }
  };
}
