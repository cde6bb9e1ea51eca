import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync } from "node:fs";
import { type FileHandle, open, rename } from "node:fs/promises";
import { join } from "node:path";
import { type ChainSettings, type ChainSnapshot, type ChainState, type LocalChain, openChain } from "./chain";
import { removeJournals, replayJournals, startJournal, syncDirectory } from "./journal";
import { loadNative } from "./native";

/*
 * Saves and loads the chain's file: { "format", "body", "sha256" }, with the checksum over the body's bytes. The format
 * does not depend on LiteSVM's version, because accounts are restored one by one.
 */

const FILE_NAME = "chain.json";
const PREFIX = '{"format":1,"body":';
const SUFFIX_PATTERN = /,"sha256":"([0-9a-f]{64})"}\n$/;
const SUFFIX_BYTES = ',"sha256":""}\n'.length + 64;

type Log = (message: string) => void;

/** Shortest delay between a change and its save. */
const MIN_SAVE_DELAY_MS = 250;
/** Longest delay between a change and its save. The delay grows with the save duration, up to this limit. */
const MAX_SAVE_DELAY_MS = 700;
/** Ratio of delay to save duration. Saving then takes at most about a fifth of the time. */
const DELAY_PER_SAVE_DURATION = 4;
/** Characters per write. Other work runs between two writes. */
const BLOCK_CHARS = 256 * 1024;

/** Parses the chain's file. @throws {Error} for a truncated or damaged file */
function parseFile(bytes: Buffer): ChainState {
  const end = bytes.length - SUFFIX_BYTES;
  const checksum = SUFFIX_PATTERN.exec(bytes.subarray(Math.max(end, 0)).toString("latin1"))?.[1];
  if (!checksum || bytes.subarray(0, PREFIX.length).toString("latin1") !== PREFIX) throw new Error("cut off");
  const body = bytes.subarray(PREFIX.length, end);
  if (createHash("sha256").update(body).digest("hex") !== checksum) throw new Error("wrong checksum");
  return JSON.parse(body.toString("utf8")) as ChainState;
}

/**
 * Returns null only if the file does not exist. Other errors are thrown, because the caller deletes the journals on
 * null.
 */
function readFileIfPresent(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/**
 * Opens the chain saved in the directory and applies its journal, or starts a new chain. A damaged file is renamed and
 * never overwritten.
 * @throws {Error} when the native package is missing, or when the file or the directory cannot be read
 */
export function openSavedChain(directory: string, log: Log, settings: ChainSettings = {}): LocalChain {
  loadNative();
  const path = join(directory, FILE_NAME);
  const bytes = readFileIfPresent(path);
  if (bytes === null) return createNewChain(directory, settings);
  try {
    return openChain({ ...settings, state: replayJournals(directory, parseFile(bytes)) });
  } catch (error) {
    const damagedPath = `${path}.corrupt-${new Date().toISOString().replaceAll(":", "-")}`;
    renameSync(path, damagedPath);
    log(
      `The saved chain was damaged (${(error as Error).message}); it was moved to ${damagedPath}, and a new chain starts.`,
    );
    return createNewChain(directory, settings);
  }
}

/** Starts a new chain. Removes old journals first, because they would be applied to the new chain. */
function createNewChain(directory: string, settings: ChainSettings): LocalChain {
  removeJournals(directory);
  return openChain(settings);
}

/** Yields the body as JSON in blocks, so that no single step blocks the event loop for long. */
function* splitBody({ accounts, history, ...counters }: ChainSnapshot): Generator<string> {
  let block = `${JSON.stringify(counters).slice(0, -1)},"accounts":[`;
  const sections = [
    { lines: accounts, end: '],"history":[' },
    { lines: history, end: "]}" },
  ];
  for (const { lines, end } of sections) {
    for (let index = 0; index < lines.length; index++) {
      block += index === 0 ? lines[index] : `,${lines[index]}`;
      if (block.length < BLOCK_CHARS) continue;
      yield block;
      block = "";
    }
    block += end;
  }
  yield block;
}

async function writeSnapshot(file: FileHandle, snapshot: ChainSnapshot): Promise<void> {
  const hash = createHash("sha256");
  await file.writeFile(PREFIX);
  for (const block of splitBody(snapshot)) {
    hash.update(block);
    await file.writeFile(block);
  }
  await file.writeFile(`,"sha256":"${hash.digest("hex")}"}\n`);
  await file.sync();
}

/** Saves atomically: writes a new file, syncs it and renames it over the old one. A crash leaves one complete file. */
async function saveSnapshot(directory: string, snapshot: ChainSnapshot): Promise<void> {
  const path = join(directory, FILE_NAME);
  const file = await open(`${path}.new`, "w");
  try {
    await writeSnapshot(file, snapshot);
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  await syncDirectory(directory);
}

/**
 * Keeps the chain's file and its journal up to date, with at most one save at a time. The chain confirms a transaction
 * only after the journal has recorded it.
 */
export function startSaver(chain: LocalChain, directory: string, log: Log, minDelayMs = MIN_SAVE_DELAY_MS) {
  // A chain that was opened from a damaged file has no saved chain yet, because that file was renamed.
  let hasSavedChain = existsSync(join(directory, FILE_NAME));
  const journal = startJournal(chain, directory, () => hasSavedChain);
  let hasUnsavedChanges = true;
  let isFailing = false;
  let isClosed = false;
  let saveDurationMs = 0;
  let saveTimer: NodeJS.Timeout | undefined;
  let saveInFlight: Promise<void> | undefined;

  const saveChain = async () => {
    const startedAt = performance.now();
    hasUnsavedChanges = false;
    try {
      const snapshot = chain.createSnapshot();
      journal.rotate();
      await saveSnapshot(directory, snapshot);
      hasSavedChain = true;
      journal.removeCovered(snapshot.sequence);
      isFailing = false;
    } catch (error) {
      hasUnsavedChanges = true;
      if (!isFailing) log(`The chain cannot be saved in ${directory}: ${(error as Error).message}`);
      isFailing = true;
    }
    saveDurationMs = performance.now() - startedAt;
  };
  const scheduleSave = () => {
    if (saveTimer || saveInFlight || isClosed) return;
    const delayMs = Math.max(minDelayMs, Math.min(MAX_SAVE_DELAY_MS, saveDurationMs * DELAY_PER_SAVE_DURATION));
    saveTimer = setTimeout(startSave, delayMs);
  };
  const startSave = () => {
    saveTimer = undefined;
    saveInFlight = saveChain().finally(() => {
      saveInFlight = undefined;
      if (hasUnsavedChanges) scheduleSave();
    });
  };
  chain.onChange(() => {
    hasUnsavedChanges = true;
    scheduleSave();
  });
  startSave();
  return {
    /** Saves pending changes and stops. Never rejects: a failure is logged. */
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(saveTimer);
      await saveInFlight;
      await journal.close();
      if (hasUnsavedChanges) await saveChain();
    },
  };
}
