import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, readlinkSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";

/*
 * A lock file that at most one process of this machine holds, even among containers that share the folder.
 *
 * The file names its holder by process id, start time and PID namespace, because a killed process leaves its lock
 * behind, and process ids are reused. A lock whose holder has died is taken over. A process in another namespace cannot
 * be inspected: it counts as dead when it stops touching its file. A hard link creates the file with its content.
 */

/** Taking over a lock takes milliseconds. A process that takes longer has crashed. */
const MAX_TAKEOVER_MS = 10_000;

export interface LockHolder {
  pid: number;
  /** See `describePidNamespace`. Process ids and start times can be compared only between holders with the same host. */
  host: string;
  /** Start time of the process in clock ticks since boot; null if the system does not report it. Detects reused ids. */
  began: string | null;
}

export interface Processes {
  self: LockHolder;
  isAlive(pid: number): boolean;
  /** Returns the start time as in LockHolder.began. */
  findStartTime(pid: number): string | null;
  now(): number;
}

export interface LockTimes {
  /** Interval at which a holder touches its file, ms. */
  touchEveryMs: number;
  /** A holder in another namespace counts as dead after this long without a touch, ms. */
  maxSilenceMs: number;
}

/** A lock file with this process id that is not listed here was left by a crashed process with the same id. */
const heldPaths = new Set<string>();

/** Takes the lock. @returns a function that releases it; null while another process, or this one, holds it */
export function takeLock(
  path: string,
  { touchEveryMs, maxSilenceMs }: LockTimes,
  processes = createSystemProcesses(),
): (() => void) | null {
  if (heldPaths.has(path)) return null;
  const isTaken =
    createLockFile(path, processes.self) ||
    (isAbandoned(path, maxSilenceMs, processes) && takeOver(path, maxSilenceMs, processes));
  if (!isTaken) return null;
  heldPaths.add(path);
  const touchTimer = setInterval(() => touchFile(path), touchEveryMs);
  return () => {
    clearInterval(touchTimer);
    heldPaths.delete(path);
    if (isHeldBy(path, processes.self)) rmSync(path, { force: true });
  };
}

/** Creates a lock file atomically. @returns false when the file already exists */
function createLockFile(path: string, holder: LockHolder): boolean {
  const draftPath = `${path}.${randomBytes(6).toString("hex")}`;
  writeFileSync(draftPath, JSON.stringify(holder), { mode: 0o600 });
  try {
    linkSync(draftPath, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(draftPath, { force: true });
  }
}

/** Takes over a dead lock. A second lock file serialises this, or one process could delete the new lock of another. */
function takeOver(path: string, maxSilenceMs: number, processes: Processes): boolean {
  const takeoverPath = `${path}.breaking`;
  if (!createLockFile(takeoverPath, processes.self)) {
    const takeoverAgeMs = readAgeMs(takeoverPath, processes.now());
    if (takeoverAgeMs !== null && takeoverAgeMs > MAX_TAKEOVER_MS) rmSync(takeoverPath, { force: true });
    return false;
  }
  try {
    if (!isAbandoned(path, maxSilenceMs, processes)) return false;
    rmSync(path, { force: true });
    return createLockFile(path, processes.self);
  } finally {
    rmSync(takeoverPath, { force: true });
  }
}

/** Returns whether the lock's holder has died. False if the file is gone: the next attempt can create it. */
function isAbandoned(path: string, maxSilenceMs: number, { self, isAlive, findStartTime, now }: Processes): boolean {
  const holder = readHolder(path);
  // A file that does not name a holder is judged by its age as well.
  if (holder?.host !== self.host) return (readAgeMs(path, now()) ?? 0) > maxSilenceMs;
  if (holder.pid === self.pid) return !heldPaths.has(path);
  return !isAlive(holder.pid) || findStartTime(holder.pid) !== holder.began;
}

/** Returns whether the lock file names `self`. It no longer does after a takeover from a suspended process. */
function isHeldBy(path: string, self: LockHolder): boolean {
  const holder = readHolder(path);
  return holder?.pid === self.pid && holder.host === self.host && holder.began === self.began;
}

export function readHolder(path: string): LockHolder | null {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}

function readAgeMs(path: string, nowMs: number): number | null {
  try {
    return nowMs - statSync(path).mtimeMs;
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
  const self = { pid: process.pid, host: describePidNamespace(), began: findStartTime(process.pid) };
  return { self, isAlive, findStartTime, now: Date.now };
}

/** A container may share the host's name. Its live processes would then look dead from outside. */
function describePidNamespace(): string {
  try {
    const bootId = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${hostname()} ${bootId} ${readlinkSync("/proc/self/ns/pid")}`;
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

const findStartTime = (pid: number): string | null => readStat(pid)?.[19] ?? null;

/**
 * The fields of a process from the third on, so [0] is its state and [19] its start time. Null if there is no such
 * process, or on systems other than Linux. Source: proc_pid_stat(5).
 */
function readStat(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in brackets, which may contain brackets and spaces.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return null;
  }
}
