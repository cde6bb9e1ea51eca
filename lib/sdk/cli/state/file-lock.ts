import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, readlinkSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import type { Lock } from "../../world";
import { fileOf, hasErrorCode } from "./files";

/** Interval at which a holder touches its lock file. */
const BEAT_MS = 10_000;
/** A holder on another host counts as dead after this long without a touch. */
const SILENT_MS = 120_000;
/** Breaking a lock takes milliseconds. A process that takes longer has crashed. */
const BREAKING_MS = 10_000;

interface Holder {
  pid: number;
  /** Process ids and start times are comparable only between holders with the same host; see `processSpace`. */
  host: string;
  /** Start time of the process, if the system reports one. It detects reused process ids. */
  began: string | null;
}

/** Identifies this process and inspects others. */
export interface Processes {
  self: Holder;
  isAlive(pid: number): boolean;
  beganOf(pid: number): string | null;
  now(): number;
}

/**
 * Paths of the locks that this process holds. A lock file with this process id that is not listed here was left by a
 * crashed process with the same id.
 */
const held = new Set<string>();

/**
 * Creates a lock shared by all programs that use a folder. A lock whose process has died is taken over. A hard link
 * creates the lock file together with its content, and only one process at a time can take over a lock.
 */
export function fileLock(folder: string, processes: Processes = thisMachine()): Lock {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return async (name, task) => {
    const path = fileOf(folder, name, "lock");
    if (!take(path, processes)) return false;
    const beat = setInterval(() => touch(path), BEAT_MS);
    try {
      await task();
    } finally {
      clearInterval(beat);
      held.delete(path);
      if (isHeldBy(path, processes.self)) rmSync(path, { force: true });
    }
    return true;
  };
}

function take(path: string, processes: Processes): boolean {
  if (held.has(path)) return false;
  if (!create(path, processes.self) && !(isGone(path, processes) && breakLock(path, processes))) return false;
  held.add(path);
  return true;
}

/** Creates a lock file atomically. @returns false when the file already exists */
function create(path: string, holder: Holder): boolean {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  writeFileSync(draft, JSON.stringify(holder), { mode: 0o600 });
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (hasErrorCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Takes over a dead lock. A second lock file serialises this, or one process could delete the new lock of another. */
function breakLock(path: string, processes: Processes): boolean {
  const breaking = `${path}.breaking`;
  if (!create(breaking, processes.self)) {
    const since = ageOf(breaking, processes.now());
    if (since !== null && since > BREAKING_MS) rmSync(breaking, { force: true });
    return false;
  }
  try {
    if (!isGone(path, processes)) return false;
    rmSync(path, { force: true });
    return create(path, processes.self);
  } finally {
    rmSync(breaking, { force: true });
  }
}

/** Returns true if the lock's holder has died; false if the file is gone, so that the next attempt can create it. */
function isGone(path: string, { self, isAlive, beganOf, now }: Processes): boolean {
  const holder = read(path);
  if (holder === null) return false;
  if (holder.host !== self.host) return (ageOf(path, now()) ?? 0) > SILENT_MS;
  if (holder.pid === self.pid) return !held.has(path);
  return !isAlive(holder.pid) || beganOf(holder.pid) !== holder.began;
}

/** Returns false after another process took the lock over, e.g. because this process was suspended for too long. */
function isHeldBy(path: string, self: Holder): boolean {
  const holder = read(path);
  return holder?.pid === self.pid && holder.host === self.host && holder.began === self.began;
}

function read(path: string): Holder | null {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}

function ageOf(path: string, now: number): number | null {
  try {
    return now - statSync(path).mtimeMs;
  } catch {
    return null;
  }
}

function touch(path: string): void {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch {
    // The file was deleted with its folder, so there is no lock to keep alive.
  }
}

/** Describes the current process and inspects processes on this system. */
export function thisMachine(): Processes {
  const self = { pid: process.pid, host: processSpace(), began: beganOf(process.pid) };
  return { self, isAlive, beganOf, now: Date.now };
}

/**
 * Identifies the PID namespace by host name, boot id and namespace. A container may share the host's name and still
 * have its own process ids. Its live processes would then look dead from outside. On systems other than Linux, this is
 * the host name.
 */
function processSpace(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${hostname()} ${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasErrorCode(error, "EPERM");
  }
}

/** Reads a process's start time: the 20th field after the bracketed name. Source: proc_pid_stat(5), starttime. */
function beganOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}
