import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, readlinkSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import type { Lock } from "../../world";
import { failedFor, fileOf } from "./files";

/** How often a holder touches its file, and after how long without that a holder elsewhere counts as gone. */
const BEAT_MS = 10_000;
const SILENT_MS = 120_000;
/** Breaking a lock takes moments: whoever began that and has not ended it has crashed. */
const BREAKING_MS = 10_000;

interface Holder {
  pid: number;
  /** Process ids and start times mean something only to a process with the same one, see processSpace. */
  host: string;
  /** When its process began, where the system says so: numbers of processes come round again. */
  began: string | null;
}

/** This process and what it can learn of others. */
export interface Processes {
  self: Holder;
  isAlive(pid: number): boolean;
  beganOf(pid: number): string | null;
  now(): number;
}

/** Held by this process, by path: a file that names it and is not among them is left from one of the same number. */
const held = new Set<string>();

/**
 * Locks of all programs that share a folder. A lock survives no crash: one whose process is gone is taken over.
 * Its file comes into being with its content, by a link, and is taken over by one at a time.
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

/** @returns false when there is one */
function create(path: string, holder: Holder): boolean {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  writeFileSync(draft, JSON.stringify(holder), { mode: 0o600 });
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (failedFor(error, "EEXIST")) return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Two that found the same dead one must not both take over: the second would remove the first one's. */
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

/** Whether the lock's holder is no more; one that was given back meanwhile is for the next try. */
function isGone(path: string, { self, isAlive, beganOf, now }: Processes): boolean {
  const holder = read(path);
  if (holder === null) return false;
  if (holder.host !== self.host) return (ageOf(path, now()) ?? 0) > SILENT_MS;
  if (holder.pid === self.pid) return !held.has(path);
  return !isAlive(holder.pid) || beganOf(holder.pid) !== holder.began;
}

/** False once another process took the lock over, because this one had stopped for too long to touch it. */
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
    // Gone with its folder: there is nothing to keep alive.
  }
}

/** The process that runs this, and the system it runs on. */
export function thisMachine(): Processes {
  const self = { pid: process.pid, host: processSpace(), began: beganOf(process.pid) };
  return { self, isAlive, beganOf, now: Date.now };
}

/**
 * Names the PID namespace: host name, boot and namespace. A container may share the host's name and number its processes
 * itself, so that a live holder inside would look dead from outside. Outside Linux: the host name.
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
    return failedFor(error, "EPERM");
  }
}

/** Where Linux says it: the 20th field after the name, which is in brackets. Source: proc_pid_stat(5), starttime. */
function beganOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}
