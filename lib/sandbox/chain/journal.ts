import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import type { ChainChanges, ChainState, LocalChain } from "./chain";

/*
 * The write-ahead journal of changes since the last save. Each line is a checksum and one ChainChanges as JSON. A line
 * is flushed to disk before its transactions count as confirmed, so a crash never loses a confirmed transaction. Each
 * file is named by its first sequence number. A file is deleted when a save covers it.
 */

/** The name of a journal, with its first sequence number. */
const NAME = /^chain\.journal-(\d+)$/;
const CHECKSUM_CHARS = 16;

const computeChecksum = (json: string) => createHash("sha256").update(json).digest("hex").slice(0, CHECKSUM_CHARS);

/** Lists the journals in a directory, oldest first. */
function listJournals(directory: string): { sequence: number; path: string }[] {
  const journals = readdirSync(directory).flatMap((name) => {
    const sequence = NAME.exec(name)?.[1];
    return sequence === undefined ? [] : [{ sequence: Number(sequence), path: join(directory, name) }];
  });
  return journals.sort((a, b) => a.sequence - b.sequence);
}

/** Deletes the journals whose first sequence number is at most `upTo`. */
export function removeJournals(directory: string, upTo = Number.POSITIVE_INFINITY): void {
  for (const { sequence, path } of listJournals(directory)) if (sequence <= upTo) rmSync(path, { force: true });
}

/** Reads a file up to its first truncated or damaged line. Nothing after that line was ever confirmed. */
function readLines(path: string): ChainChanges[] {
  const changes: ChainChanges[] = [];
  for (const line of readFileSync(path, "utf8").split("\n")) {
    const json = line.slice(CHECKSUM_CHARS);
    if (json === "" || computeChecksum(json) !== line.slice(0, CHECKSUM_CHARS)) break;
    changes.push(JSON.parse(json) as ChainChanges);
  }
  return changes;
}

/** Applies the journals to the saved chain. */
export function replayJournals(directory: string, saved: ChainState): ChainState {
  const accounts = new Map(saved.accounts.map((account) => [account[0], account]));
  const history = new Map(saved.history.map((record) => [record.signature, record]));
  let head = saved;
  for (const { path } of listJournals(directory)) {
    for (const changes of readLines(path)) {
      if (changes.sequence <= head.sequence) continue;
      // Stop at a gap: the missing line could not be written, so no later change was ever confirmed.
      if (changes.sequence > head.sequence + 1) break;
      for (const account of changes.accounts) accounts.set(account[0], account);
      for (const record of changes.history) history.set(record.signature, record);
      head = { ...head, ...changes };
    }
  }
  // An account without lamports does not exist.
  const existingAccounts = [...accounts.values()].filter(([, lamports]) => lamports !== "0");
  return { ...head, accounts: existingAccounts, history: [...history.values()] };
}

/** Waits until the names of new files in a directory are on the disk. */
export async function syncFolder(directory: string): Promise<void> {
  const folder = await open(directory, "r");
  await folder.sync().finally(() => folder.close());
}

/**
 * Writes the journal. Each flush contains all changes since the previous one.
 * @param hasBase whether a saved chain exists to which the lines can be applied
 */
export function startJournal(chain: LocalChain, directory: string, hasBase: () => boolean) {
  let file: FileHandle | undefined;
  let isRotating = false;
  let writing: Promise<void> | undefined;
  /** Sequence of the last line that a completed save covers. */
  let coveredSequence = Number.NEGATIVE_INFINITY;
  /** Lines that are not on disk: the line being written and the lines that failed. Maps sequence to oldest slot. */
  const unwritten = new Map<number, number>();

  const openNext = async (sequence: number) => {
    isRotating = false;
    await file?.close();
    // A file with this name can hold only an incomplete line. A complete line would have been read at startup, and this
    // line would have a later number.
    file = await open(join(directory, `chain.journal-${sequence}`), "w");
    await syncFolder(directory);
  };
  const flush = async () => {
    while (chain.hasChanges()) {
      const { lines, oldestSlot, sequence } = chain.takeChanges();
      unwritten.set(sequence, oldestSlot);
      try {
        if (!file || isRotating) await openNext(sequence);
        await file!.appendFile(`${computeChecksum(lines)}${lines}\n`);
        await file!.datasync();
        unwritten.delete(sequence);
        // The save has ended while this line was being written, so it did not find the file.
        if (sequence <= coveredSequence) {
          removeJournals(directory, coveredSequence);
          isRotating = true;
        }
      } catch {
        // The failed line becomes confirmed with the next save, which also reports the error. Start a new file: this
        // one may end in half a line.
        isRotating = true;
      }
    }
  };
  const start = () => {
    writing ??= new Promise<void>((resolve) => setImmediate(resolve)).then(flush).finally(() => {
      writing = undefined;
      if (chain.hasChanges()) start();
    });
  };
  chain.setConfirmationLimit(() => (hasBase() ? Math.min(chain.findOldestUnsavedSlot(), ...unwritten.values()) : 0));
  chain.onChange(start);
  return {
    /** Starts a new file for later lines. Called when a save begins, because the save covers the existing files. */
    rotate(): void {
      isRotating = true;
    },
    /** Deletes the journals that a completed save covers. @param sequence last line in the save */
    removeCovered(sequence: number): void {
      coveredSequence = sequence;
      removeJournals(directory, sequence);
      for (const line of unwritten.keys()) if (line <= sequence) unwritten.delete(line);
    },
    /** Writes pending changes and closes the file. */
    async close(): Promise<void> {
      while (writing) await writing;
      await file?.close();
    },
  };
}
