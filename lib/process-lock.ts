import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, readlinkSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";

/*
 * A lock file that only one process of this machine holds, also over several containers that share the folder.
 *
 * The problem: a process that is killed leaves its lock behind, and process ids are reused.
 * How it is solved: the file names its holder by process id, start time and PID namespace. A lock whose process has died
 * is taken over. A holder in another namespace cannot be inspected, so it touches its file regularly and counts as dead
 * when it is silent. A hard link creates the file together with its content, and only one process at a time takes over.
 */

/** Taking over a lock takes milliseconds. A process that takes longer has crashed. */
const MAX_TAKEOVER_MS = 10_000;

export interface LockHolder {
  pid: number;
  /** Process ids and start times are comparable only between holders with the same host; see `describePidNamespace`. */
  host: string;
  /** Start time of the process, if the system reports one. It detects reused process ids. */
  began: string | null;
}

/** Identifies this process and inspects others. */
export interface Processes {
  self: LockHolder;
  isAlive(pid: number): boolean;
  findStart(pid: number): string | null;
  now(): number;
}

export interface LockTimes {
  /** Interval at which a holder touches its file, ms. */
  beatMs: number;
  /** A holder in another namespace counts as dead after this long without a touch, ms. */
  silentMs: number;
}

/**
 * Paths of the locks that this process holds. A lock file with this process id that is not listed here was left by a
 * crashed process with the same id.
 */
const heldPaths = new Set<string>();

/** Takes the lock. @returns a function that releases it; null while another process, or this one, holds it */
export function takeLock(
  path: string,
  { beatMs, silentMs }: LockTimes,
  processes = createSystemProcesses(),
): (() => void) | null {
  if (heldPaths.has(path)) return null;
  const isTaken =
    createLockFile(path, processes.self) || (isGone(path, silentMs, processes) && takeOver(path, silentMs, processes));
  if (!isTaken) return null;
  heldPaths.add(path);
  const beat = setInterval(() => touchFile(path), beatMs);
  return () => {
    clearInterval(beat);
    heldPaths.delete(path);
    if (isHeldBy(path, processes.self)) rmSync(path, { force: true });
  };
}

/** Creates a lock file atomically. @returns false when the file already exists */
function createLockFile(path: string, holder: LockHolder): boolean {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  writeFileSync(draft, JSON.stringify(holder), { mode: 0o600 });
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Takes over a dead lock. A second lock file serialises this, or one process could delete the new lock of another. */
function takeOver(path: string, silentMs: number, processes: Processes): boolean {
  const takeoverPath = `${path}.breaking`;
  if (!createLockFile(takeoverPath, processes.self)) {
    const since = readAgeMs(takeoverPath, processes.now());
    if (since !== null && since > MAX_TAKEOVER_MS) rmSync(takeoverPath, { force: true });
    return false;
  }
  try {
    if (!isGone(path, silentMs, processes)) return false;
    rmSync(path, { force: true });
    return createLockFile(path, processes.self);
  } finally {
    rmSync(takeoverPath, { force: true });
  }
}

/** Returns true if the lock's holder has died; false if the file is gone, so that the next attempt can create it. */
function isGone(path: string, silentMs: number, { self, isAlive, findStart, now }: Processes): boolean {
  const holder = readHolder(path);
  // Also for a file that names no holder, such as one of an older version.
  if (holder?.host !== self.host) return (readAgeMs(path, now()) ?? 0) > silentMs;
  if (holder.pid === self.pid) return !heldPaths.has(path);
  return !isAlive(holder.pid) || findStart(holder.pid) !== holder.began;
}

/** Returns false after another process took the lock over, e.g. because this process was suspended for too long. */
function isHeldBy(path: string, self: LockHolder): boolean {
  const holder = readHolder(path);
  return holder?.pid === self.pid && holder.host === self.host && holder.began === self.began;
}

/** Returns the holder that a lock file names; null for a file that is gone or names none. */
export function readHolder(path: string): LockHolder | null {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}

function readAgeMs(path: string, now: number): number | null {
  try {
    return now - statSync(path).mtimeMs;
  } catch {
    return null;
  }
}

function touchFile(path: string): void {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch {
    // The file was deleted with its folder, so there is no lock to keep alive.
  }
}

/** Describes the current process and inspects processes on this system. */
export function createSystemProcesses(): Processes {
  const self = { pid: process.pid, host: describePidNamespace(), began: findStart(process.pid) };
  return { self, isAlive, findStart, now: Date.now };
}

/**
 * Identifies the PID namespace by host name, boot id and namespace. A container may share the host's name and still
 * have its own process ids. Its live processes would then look dead from outside. On systems other than Linux, this is
 * the host name.
 */
function describePidNamespace(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${hostname()} ${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}

function isAlive(pid: number): boolean {
  // A zombie is dead but not reaped. If its parent was killed too, it may stay a zombie for long.
  if (readStat(pid)?.[0] === "Z") return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

const findStart = (pid: number): string | null => readStat(pid)?.[19] ?? null;

/** Reads a process's state (0) and start time (19) from the kernel. Source: proc_pid_stat(5), from the third field on. */
function readStat(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in brackets may contain anything.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return null;
  }
}
