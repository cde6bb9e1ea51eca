import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import type { ChainChanges, ChainState, LocalChain } from "./chain";

/**
 * What happened since the chain's file was saved: files of lines, each a checksum and one ChainChanges as JSON. A line is
 * flushed before what it holds counts as confirmed, so nothing confirmed is lost however the process dies. The files are
 * named by their first sequence number; one that a save has covered is deleted.
 */
const NAME = /^chain\.journal-(\d+)$/;
const CHECKSUM_CHARS = 16;

const checksumOf = (json: string) => createHash("sha256").update(json).digest("hex").slice(0, CHECKSUM_CHARS);

/** Oldest first. */
function journalsIn(directory: string): { sequence: number; path: string }[] {
  const found = readdirSync(directory).flatMap((name) => {
    const sequence = NAME.exec(name)?.[1];
    return sequence === undefined ? [] : [{ sequence: Number(sequence), path: join(directory, name) }];
  });
  return found.sort((a, b) => a.sequence - b.sequence);
}

/** Deletes the journals that begin with this line or an earlier one. */
export function removeJournals(directory: string, upTo = Number.POSITIVE_INFINITY): void {
  for (const { sequence, path } of journalsIn(directory)) if (sequence <= upTo) rmSync(path, { force: true });
}

/** A line that is cut off or damaged ends its file: nothing after it was ever confirmed. */
function readLines(path: string): ChainChanges[] {
  const all: ChainChanges[] = [];
  for (const line of readFileSync(path, "utf8").split("\n")) {
    const json = line.slice(CHECKSUM_CHARS);
    if (json === "" || checksumOf(json) !== line.slice(0, CHECKSUM_CHARS)) break;
    all.push(JSON.parse(json) as ChainChanges);
  }
  return all;
}

/** The saved chain with what happened after it was saved. */
export function replayJournals(directory: string, saved: ChainState): ChainState {
  const accounts = new Map(saved.accounts.map((account) => [account[0], account]));
  const history = new Map(saved.history.map((record) => [record.signature, record]));
  let head = saved;
  for (const { path } of journalsIn(directory)) {
    for (const changes of readLines(path)) {
      if (changes.sequence <= head.sequence) continue;
      // One that is missing could not be written: what came after it was never confirmed.
      if (changes.sequence > head.sequence + 1) break;
      for (const account of changes.accounts) accounts.set(account[0], account);
      for (const record of changes.history) history.set(record.signature, record);
      head = { ...head, ...changes };
    }
  }
  // An account without lamports is none.
  const living = [...accounts.values()].filter(([, lamports]) => lamports !== "0");
  return { ...head, accounts: living, history: [...history.values()] };
}

export interface Journal {
  /** A save has begun: from now on the lines go to a new file, so that it covers the others. */
  rotate(): void;
  /** A save that holds everything up to this line is on disk. */
  covered(sequence: number): void;
  /** Writes what is new and ends. */
  close(): Promise<void>;
}

/**
 * Writes the journal, all that is new in one flush after another.
 * @param hasBase whether there is a saved chain yet that the lines can be replayed on
 */
export function startJournal(chain: LocalChain, directory: string, hasBase: () => boolean): Journal {
  let file: FileHandle | undefined;
  let rotating = false;
  let writing: Promise<void> | undefined;
  /** The lines that are not on disk: the one under way, and those that could not be written. */
  const unwritten = new Map<number, number>();

  const openNext = async (sequence: number) => {
    rotating = false;
    await file?.close();
    // What a file of this name may hold was never whole: else it would have been read, and this line had another number.
    file = await open(join(directory, `chain.journal-${sequence}`), "w");
    const folder = await open(directory, "r");
    await folder.sync().finally(() => folder.close());
  };
  const flush = async () => {
    while (chain.hasChanges()) {
      const { lines, fromSlot, sequence } = chain.takeChanges();
      unwritten.set(sequence, fromSlot);
      try {
        if (!file || rotating) await openNext(sequence);
        await file!.appendFile(`${checksumOf(lines)}${lines}\n`);
        await file!.datasync();
        unwritten.delete(sequence);
      } catch {
        // What this line held is confirmed when a save has it, which also tells what is wrong. The file may end in half of it.
        rotating = true;
      }
    }
  };
  const start = () => {
    writing ??= new Promise<void>((done) => setImmediate(done)).then(flush).finally(() => {
      writing = undefined;
      if (chain.hasChanges()) start();
    });
  };
  chain.confirmOnlyBefore(() => (hasBase() ? Math.min(chain.changesFrom(), ...unwritten.values()) : 0));
  chain.onChange(start);
  return {
    rotate() {
      rotating = true;
    },
    covered(sequence) {
      removeJournals(directory, sequence);
      for (const line of unwritten.keys()) if (line <= sequence) unwritten.delete(line);
    },
    async close() {
      while (writing) await writing;
      await file?.close();
    },
  };
}
