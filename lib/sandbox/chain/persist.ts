import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync } from "node:fs";
import { type FileHandle, open, rename } from "node:fs/promises";
import { join } from "node:path";
import { type ChainSnapshot, type ChainState, type LocalChain, openChain } from "./chain";
import { removeJournals, replayJournals, startJournal } from "./journal";
import { loadNative } from "./native";

/**
 * The chain's file: { "format", "body", "sha256" }, the checksum over the body's bytes. Independent of LiteSVM's
 * version: accounts are put back one by one.
 */
const FILE = "chain.json";
const PREFIX = '{"format":1,"body":';
const SUFFIX = /,"sha256":"([0-9a-f]{64})"}\n$/;
const SUFFIX_BYTES = ',"sha256":""}\n'.length + 64;

export type Log = (message: string) => void;

/** Milliseconds from a change to its save. */
const DELAY_MS = 250;
/** The same when the file is large and saves take long: never so long that a crash would lose a second. */
const MAX_DELAY_MS = 700;
/** Saving takes no more than about a fifth of the time. */
const DELAY_PER_DURATION = 4;
/** Characters written at once; between two writes other work goes on. */
const BLOCK = 256 * 1024;

function parseFile(bytes: Buffer): ChainState {
  const end = bytes.length - SUFFIX_BYTES;
  const checksum = SUFFIX.exec(bytes.subarray(Math.max(end, 0)).toString("latin1"))?.[1];
  if (!checksum || bytes.subarray(0, PREFIX.length).toString("latin1") !== PREFIX) throw new Error("cut off");
  const body = bytes.subarray(PREFIX.length, end);
  if (createHash("sha256").update(body).digest("hex") !== checksum) throw new Error("wrong checksum");
  return JSON.parse(body.toString("utf8")) as ChainState;
}

function readIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/**
 * Opens the chain that was saved in the directory, with what its journal adds, or a new one. A file that cannot be read
 * is set aside, never overwritten.
 * @throws {Error} when the native package is absent or the directory cannot be read
 */
export function openSavedChain(directory: string, log: Log): LocalChain {
  loadNative();
  const path = join(directory, FILE);
  const bytes = readIfThere(path);
  if (bytes === null) return newChain(directory);
  try {
    return openChain({ state: replayJournals(directory, parseFile(bytes)) });
  } catch (error) {
    const aside = `${path}.corrupt-${new Date().toISOString().replaceAll(":", "-")}`;
    renameSync(path, aside);
    log(`The saved chain was damaged (${(error as Error).message}); it was set aside as ${aside}, a new chain starts.`);
    return newChain(directory);
  }
}

/** The journal of another chain would be taken for its own. */
function newChain(directory: string): LocalChain {
  removeJournals(directory);
  return openChain();
}

/** The body as JSON in blocks, so that no single step is long. */
function* bodyBlocks({ accounts, history, ...head }: ChainSnapshot): Generator<string> {
  let block = `${JSON.stringify(head).slice(0, -1)},"accounts":[`;
  const lists: [string[], string][] = [
    [accounts, '],"history":['],
    [history, "]}"],
  ];
  for (const [lines, after] of lists) {
    for (let index = 0; index < lines.length; index++) {
      block += index === 0 ? lines[index] : `,${lines[index]}`;
      if (block.length < BLOCK) continue;
      yield block;
      block = "";
    }
    block += after;
  }
  yield block;
}

async function writeSnapshot(file: FileHandle, snapshot: ChainSnapshot): Promise<void> {
  const hash = createHash("sha256");
  await file.writeFile(PREFIX);
  for (const block of bodyBlocks(snapshot)) {
    hash.update(block);
    await file.writeFile(block);
  }
  await file.writeFile(`,"sha256":"${hash.digest("hex")}"}\n`);
  await file.sync();
}

/** To a new file, synced, renamed over the old one: whenever the process dies, one of the two is there whole. */
async function saveSnapshot(directory: string, snapshot: ChainSnapshot): Promise<void> {
  const path = join(directory, FILE);
  const file = await open(`${path}.new`, "w");
  try {
    await writeSnapshot(file, snapshot);
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  const folder = await open(directory, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

export interface Saver {
  /** Saves what is new and ends. Never rejects: a failure is logged. */
  close(): Promise<void>;
}

/**
 * Keeps the chain's file up to date, at most one save at a time, and its journal, without which nothing is confirmed.
 * @param leastDelayMs between a change and the save that covers it
 */
export function startSaver(chain: LocalChain, directory: string, log: Log, leastDelayMs = DELAY_MS): Saver {
  // The file that the chain was opened from: a damaged one was set aside.
  let hasBase = existsSync(join(directory, FILE));
  const journal = startJournal(chain, directory, () => hasBase);
  let dirty = true;
  let failing = false;
  let closed = false;
  let duration = 0;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  const save = async () => {
    const started = performance.now();
    dirty = false;
    try {
      const snapshot = chain.snapshot();
      journal.rotate();
      await saveSnapshot(directory, snapshot);
      hasBase = true;
      journal.covered(snapshot.sequence);
      failing = false;
    } catch (error) {
      dirty = true;
      if (!failing) log(`The chain cannot be saved in ${directory}: ${(error as Error).message}`);
      failing = true;
    }
    duration = performance.now() - started;
  };
  const schedule = () => {
    if (timer || running || closed) return;
    timer = setTimeout(run, Math.max(leastDelayMs, Math.min(MAX_DELAY_MS, duration * DELAY_PER_DURATION)));
  };
  const run = () => {
    timer = undefined;
    running = save().finally(() => {
      running = undefined;
      if (dirty) schedule();
    });
  };
  chain.onChange(() => {
    dirty = true;
    schedule();
  });
  run();
  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      await running;
      await journal.close();
      if (dirty) await save();
    },
  };
}
