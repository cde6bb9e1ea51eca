import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The name of the marker: a file in each folder that holds a store. */
const MARKER_FILE = "store-created.txt";

const MARKER_TEXT = `This folder holds a store. When data.mdb is gone or empty, the service refuses to start.
Restore the folder from a backup. Delete this file only to start with an empty store: API keys stop working,
and the records that keep the same spending from being saved twice are lost.
`;

/** Returns whether the folder has a data.mdb that is not empty. LMDB would treat an empty file as a new store. */
export const hasLmdbData = (path: string) => getFileSize(join(path, "data.mdb")) > 0;

/** @throws Error that tells the operator what to do, when the folder held a store and its data is gone */
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
 * Returns a function that writes the folder's marker unless it exists. Call it after a commit and before
 * acknowledging the write. A store without a marker then has no acknowledged write, and a crash between commit and
 * marker leaves a folder that still starts.
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
