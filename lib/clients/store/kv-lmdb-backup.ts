import { createHash } from "node:crypto";
import {
  closeSync,
  copyFileSync,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { findProgramFolder } from "../process/program-folder";
import { checkLmdbFile, createMarkerWriter, hasLmdbData } from "./kv-lmdb-check";

/** The file with the checksum and the network of a backup. A folder without this file is a plain copy, which may be damaged. */
const MANIFEST_FILE = "backup.json";
const DATA_FILE = "data.mdb";

/**
 * Copies the embedded store in `path` to the new folder `targetFolder`, while the service may run and write. The backup
 * contains every write that was acknowledged before this call.
 * @returns the size in bytes. @throws Error for the operator; `targetFolder` is then unchanged
 */
export async function backUpLmdbStore(path: string, targetFolder: string, network: string): Promise<number> {
  if (!hasLmdbData(path)) throw new Error(`there is no store in ${path}`);
  if (existsSync(targetFolder) && readdirSync(targetFolder).length > 0) throw new Error(`${targetFolder} is not empty`);
  return fillPartialFolder(targetFolder, async (partialFolder) => {
    await copyOnline(path, partialFolder);
    flushFile(join(partialFolder, DATA_FILE));
    const digest = await computeDigest(join(partialFolder, DATA_FILE));
    const manifest = JSON.stringify({ ...digest, network });
    await writeFile(join(partialFolder, MANIFEST_FILE), `${manifest}\n`, { flush: true });
    renameSync(partialFolder, targetFolder);
    return digest.bytes;
  });
}

/**
 * Puts the backup in `sourceFolder` back as the store in `path`, which must not hold one. No service may run on `path`.
 * @returns the size in bytes. @throws Error for the operator; `path` then holds what it held before
 */
export async function restoreLmdbStore(sourceFolder: string, path: string, network: string): Promise<number> {
  if (hasLmdbData(path)) throw new Error(`${path} holds a store; stop the service and move that folder away first`);
  const bytes = await checkBackup(sourceFolder, network);
  return fillPartialFolder(path, async (partialFolder) => {
    copyFileSync(join(sourceFolder, DATA_FILE), join(partialFolder, DATA_FILE));
    checkLmdbFile(partialFolder);
    flushFile(join(partialFolder, DATA_FILE));
    mkdirSync(path, { recursive: true });
    // One atomic step. The marker of a lost store stays, so a failed restore never looks like a new store.
    renameSync(join(partialFolder, DATA_FILE), join(path, DATA_FILE));
    createMarkerWriter(path)();
    return bytes;
  });
}

/** Runs `fill` with a new folder beside `targetFolder`, so that `targetFolder` never holds a part of a store. */
async function fillPartialFolder<T>(targetFolder: string, fill: (partialFolder: string) => Promise<T>): Promise<T> {
  const parent = resolve(targetFolder, "..");
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  // The name has no dot: LMDB takes a path with a dot for a file.
  const partialFolder = mkdtempSync(join(parent, "store-partial-"));
  return fill(partialFolder).finally(() => rmSync(partialFolder, { recursive: true, force: true }));
}

async function copyOnline(path: string, targetFolder: string): Promise<void> {
  const { open }: typeof import("lmdb") = createRequire(join(findProgramFolder(), "package.json"))("lmdb");
  const db = open<string, string>({ path, encoding: "string", cache: false, overlappingSync: false });
  try {
    await db.backup(targetFolder, true);
  } finally {
    await db.close();
  }
}

/** Checks a backup's checksum and network. @returns its size in bytes @throws Error unless both are as expected */
async function checkBackup(sourceFolder: string, network: string): Promise<number> {
  const manifestFile = join(sourceFolder, MANIFEST_FILE);
  if (!existsSync(manifestFile))
    throw new Error(`${sourceFolder} has no ${MANIFEST_FILE}, so the backup command did not make it`);
  const { sha256, bytes } = await computeDigest(join(sourceFolder, DATA_FILE));
  const manifest = JSON.parse(await readFile(manifestFile, "utf8"));
  if (manifest.sha256 !== sha256) throw new Error(`the backup in ${sourceFolder} is damaged: its checksum differs`);
  if (manifest.network !== network)
    throw new Error(
      `the backup in ${sourceFolder} is of ${manifest.network}, and NETWORK is ${network}; set NETWORK=${manifest.network}`,
    );
  return bytes;
}

async function computeDigest(path: string): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { sha256: hash.digest("hex"), bytes };
}

/** Waits until the file is on the disk, so that a power failure does not lose it. */
function flushFile(path: string): void {
  const file = openSync(path, "r+");
  fsyncSync(file);
  closeSync(file);
}
