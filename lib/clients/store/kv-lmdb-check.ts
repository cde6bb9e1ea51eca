import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { findProgramFolder } from "../process/program-folder";

/** A script for a child process: it reads entries for at most 5 s, then writes one. */
const CHECK_SCRIPT = `
const { open } = require("lmdb");
const fail = (reason) => { console.error(reason); process.exit(1); };
setTimeout(() => fail("no answer in time"), 15000);
(async () => {
  const db = open({ path: process.argv[1], encoding: "string", cache: false, overlappingSync: false });
  const readEndsAt = Date.now() + 5000;
  let entryCount = 0;
  for (const entry of db.getRange()) if (++entryCount % 1000 === 0 && Date.now() > readEndsAt) break;
  await db.put("probe", "0:true");
})().then(() => process.exit(0), (error) => fail(error.message));
`;

/** The time limit of the child process, ms. It leaves time to load lmdb before the script's own limit of 15 s. */
const CHECK_TIMEOUT_MS = 30_000;

/**
 * Checks an embedded store in a child process: reading a damaged file ends a process without an error message (SIGSEGV,
 * SIGBUS).
 * @throws Error for the operator when the file is damaged, lost or not writable, or there is no room for a new store
 */
export function checkLmdbFile(path: string): void {
  refuseLostStore(path);
  if (hasLmdbData(path)) requireReadable(path);
  else requireRoom(path);
}

function requireReadable(path: string): void {
  const { status, signal, stderr } = spawnSync(process.execPath, ["-e", CHECK_SCRIPT, resolve(path)], {
    cwd: findProgramFolder(),
    encoding: "utf8",
    timeout: CHECK_TIMEOUT_MS,
  });
  if (status === 0) return;
  const reason = signal ?? stderr.trim().split("\n").at(-1)?.slice(0, 200);
  throw new Error(
    `its file is damaged, or its disk full (${reason}). Free disk space, or restore the folder from a backup`,
  );
}

/** The size of a new store and its lock, in bytes. */
const NEW_STORE_BYTES = 65_536;

/** LMDB writes its first pages through a memory map. On a full disk, that ends the process without a message. */
function requireRoom(path: string): void {
  const probeFile = join(path, "room");
  try {
    mkdirSync(path, { recursive: true });
    writeFileSync(probeFile, new Uint8Array(NEW_STORE_BYTES));
  } catch (cause) {
    throw new Error(`${(cause as Error).message}. Free disk space, or choose a folder that can be written`, { cause });
  } finally {
    rmSync(probeFile, { force: true });
  }
}

const MARKER_FILE = "store-created.txt";

const MARKER_TEXT = `This folder holds a store. When data.mdb is gone or empty, the service refuses to start.
Restore the folder from a backup. Delete this file only to start with an empty store: API keys stop working,
and the records that keep the same spending from being saved twice are lost.
`;

/** LMDB would treat an empty data.mdb as a new store. */
export const hasLmdbData = (path: string) => getFileSize(join(path, "data.mdb")) > 0;

/** @throws Error for the operator when the folder held a store and its data is gone */
export function refuseLostStore(path: string): void {
  const marker = join(path, MARKER_FILE);
  if (hasLmdbData(path) || !existsSync(marker)) return;
  const dataFile = join(path, "data.mdb");
  throw new Error(
    `its data.mdb is ${existsSync(dataFile) ? "empty" : "missing"}, though a store existed here. Restore the folder from a backup. ` +
      `Or delete ${marker} to start with an empty store: API keys and the records against saving twice are then lost`,
  );
}

/**
 * Call the writer after a commit and before acknowledging the write: a crash in between leaves a folder that starts.
 */
export function createMarkerWriter(path: string): () => void {
  const marker = join(path, MARKER_FILE);
  let isMarked = existsSync(marker);
  return () => {
    if (isMarked) return;
    writeFileSync(marker, MARKER_TEXT, { flush: true });
    isMarked = true;
  };
}

const getFileSize = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
