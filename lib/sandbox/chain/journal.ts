import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import type { ChainChanges, ChainState, LocalChain } from "./chain";

/*
 * Keeps a write-ahead journal of the changes since the last save. Each line is a checksum and one ChainChanges as JSON.
 * A line is flushed to disk before its transactions count as confirmed, so a crash never loses a confirmed transaction.
 * Each file is named by its first sequence number. A file is deleted when a save covers it.
 */

/** Matches the name of a journal's file, and captures its first sequence number. */
const FILE_NAME_PATTERN = /^chain\.journal-(\d+)$/;
/** Length of a line's checksum, which is the start of a SHA-256 hash in hex. */
const CHECKSUM_CHARS = 16;

const computeChecksum = (json: string) => createHash("sha256").update(json).digest("hex").slice(0, CHECKSUM_CHARS);

/** Lists the journals in a directory, oldest first. */
function listJournals(directory: string): { sequence: number; path: string }[] {
  const journals = readdirSync(directory).flatMap((name) => {
    const sequence = FILE_NAME_PATTERN.exec(name)?.[1];
    return sequence === undefined ? [] : [{ sequence: Number(sequence), path: join(directory, name) }];
  });
  return journals.sort((left, right) => left.sequence - right.sequence);
}

/** Deletes the journals whose first sequence number is at most `lastSequence`. */
export function removeJournals(directory: string, lastSequence = Number.POSITIVE_INFINITY): void {
  for (const { sequence, path } of listJournals(directory)) if (sequence <= lastSequence) rmSync(path, { force: true });
}

/** Reads a file up to its first truncated or damaged line. Nothing after that line was ever confirmed. */
function readChanges(path: string): ChainChanges[] {
  const changes: ChainChanges[] = [];
  for (const line of readFileSync(path, "utf8").split("\n")) {
    const json = line.slice(CHECKSUM_CHARS);
    if (json === "" || computeChecksum(json) !== line.slice(0, CHECKSUM_CHARS)) break;
    changes.push(JSON.parse(json) as ChainChanges);
  }
  return changes;
}

/** Returns the saved chain with the changes of the journals. */
export function replayJournals(directory: string, savedState: ChainState): ChainState {
  const accounts = new Map(savedState.accounts.map((account) => [account[0], account]));
  const history = new Map(savedState.history.map((record) => [record.signature, record]));
  let replayedState = savedState;
  for (const { path } of listJournals(directory)) {
    for (const changes of readChanges(path)) {
      if (changes.sequence <= replayedState.sequence) continue;
      // Stop at a gap: the missing line could not be written, so no later change was ever confirmed.
      if (changes.sequence > replayedState.sequence + 1) break;
      for (const account of changes.accounts) accounts.set(account[0], account);
      for (const record of changes.history) history.set(record.signature, record);
      replayedState = { ...replayedState, ...changes };
    }
  }
  // An account without lamports does not exist.
  const existingAccounts = [...accounts.values()].filter(([, lamports]) => lamports !== "0");
  return { ...replayedState, accounts: existingAccounts, history: [...history.values()] };
}

/** Waits until the names of new files in a directory are on the disk. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  await handle.sync().finally(() => handle.close());
}

/**
 * Writes the journal. Each flush contains all changes since the previous one.
 * @param hasSavedChain returns whether a saved chain exists to which the lines can be applied
 */
export function startJournal(chain: LocalChain, directory: string, hasSavedChain: () => boolean) {
  let file: FileHandle | undefined;
  let needsNewFile = false;
  let flushInFlight: Promise<void> | undefined;
  /** Sequence number of the last line that a completed save covers. */
  let coveredSequence = Number.NEGATIVE_INFINITY;
  /** The oldest slot of each line that is not on disk, by sequence number: the line in flight and the failed lines. */
  const unwrittenSlots = new Map<number, number>();

  const openNextFile = async (sequence: number) => {
    needsNewFile = false;
    await file?.close();
    // A file with this name can hold only an incomplete line. A complete line would have been read at startup, and this
    // line would have a later number.
    file = await open(join(directory, `chain.journal-${sequence}`), "w");
    await syncDirectory(directory);
  };
  const flushLines = async () => {
    while (chain.hasChanges()) {
      const { json, oldestSlot, sequence } = chain.takeChanges();
      unwrittenSlots.set(sequence, oldestSlot);
      try {
        if (!file || needsNewFile) await openNextFile(sequence);
        await file!.appendFile(`${computeChecksum(json)}${json}\n`);
        await file!.datasync();
        unwrittenSlots.delete(sequence);
        // A save that covers this line has ended while the line was being written, so the save did not find the file.
        if (sequence <= coveredSequence) {
          removeJournals(directory, coveredSequence);
          needsNewFile = true;
        }
      } catch {
        // The next save confirms the failed line's transactions, and reports the error. Start a new file, because this
        // file may end in half a line.
        needsNewFile = true;
      }
    }
  };
  const startFlush = () => {
    flushInFlight ??= new Promise<void>((resolve) => setImmediate(resolve)).then(flushLines).finally(() => {
      flushInFlight = undefined;
      if (chain.hasChanges()) startFlush();
    });
  };
  chain.setConfirmationLimitSlot(() =>
    hasSavedChain() ? Math.min(chain.findOldestUnsavedSlot(), ...unwrittenSlots.values()) : 0,
  );
  chain.onChange(startFlush);
  return {
    /** Starts a new file for later lines. Call it when a save begins, because the save covers the existing files. */
    rotate(): void {
      needsNewFile = true;
    },
    /** Deletes the journals that a completed save covers. @param sequence sequence number of the save's last line */
    removeCovered(sequence: number): void {
      coveredSequence = sequence;
      removeJournals(directory, sequence);
      for (const lineSequence of unwrittenSlots.keys())
        if (lineSequence <= sequence) unwrittenSlots.delete(lineSequence);
    },
    /** Writes pending changes and closes the file. */
    async close(): Promise<void> {
      while (flushInFlight) await flushInFlight;
      await file?.close();
    },
  };
}
