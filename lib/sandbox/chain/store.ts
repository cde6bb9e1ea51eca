import { join } from "node:path";
import { open } from "lmdb";
import { type ChainHead, type ChainSettings, type LocalChain, openChain } from "./chain";
import type { ChainAccount } from "./types";

/*
 * Stores the chain in LMDB. At the end of a slot with changes, one transaction writes the changed accounts, the new
 * records and the head. The slot's transactions are confirmed only when that is flushed to disk. A killed process
 * therefore loses no confirmed transaction.
 */

/** A write begins this long before its slot ends, ms. Changes after that are written in a second one. */
const WRITE_LEAD_MS = 20;

const LMDB_OPTIONS = {
  // No batches: when a batch's commit fails, lmdb rejects a promise that no code can reach.
  eventTurnBatching: false,
  // Flush within the transaction, so that it ends when it is on disk.
  overlappingSync: false,
} as const;

interface StoredChainOptions extends ChainSettings {
  /** The folder of the chain. It must exist. */
  directory: string;
  /** Called once when the chain cannot be stored. No transaction is confirmed after that, so the process should end. */
  onFailure: (error: unknown) => void;
}

/**
 * Opens the chain stored in the directory, or starts a new one.
 * @throws {Error} when the native package is missing, or the files cannot be opened. Damaged files end the process
 */
export function openStoredChain({ directory, onFailure, ...settings }: StoredChainOptions) {
  const db = open<ChainHead, "head">({ path: join(directory, "chain.mdb"), ...LMDB_OPTIONS });
  const accounts = db.openDB<ChainAccount, string>({ name: "accounts" });
  const records = db.openDB<string, number>({ name: "records" });
  const head = db.get("head");
  const state = head && {
    head,
    accounts: accounts.getRange().map(({ key, value }) => [key, value] as const),
    records: [...records.getRange().map(({ key, value }) => ({ serial: key, json: value }))],
  };
  let timer: NodeJS.Timeout | undefined;
  let hasFailed = false;
  let writes = Promise.resolve();

  const writeChanges = async () => {
    if (hasFailed || !chain.hasChanges()) return;
    const changes = chain.takeChanges();
    try {
      await db.transaction(() => {
        db.put("head", changes.head);
        for (const [address, account] of changes.accounts) {
          if (account) accounts.put(address, account);
          else accounts.remove(address);
        }
        for (const { serial, json } of changes.records) records.put(serial, json);
        for (const serial of changes.droppedSerials) records.remove(serial);
      });
      chain.completeWrite();
    } catch (error) {
      // lmdb's second promise of the same failure would end the process before it is reported.
      (error as { commitError?: Promise<never> }).commitError?.catch(() => {});
      hasFailed = true;
      onFailure(error);
    }
  };
  const startWrite = () => {
    timer = undefined;
    writes = writes.then(writeChanges);
  };
  const onChange = () => {
    timer ??= setTimeout(startWrite, chain.computeMsToSlotEnd() - WRITE_LEAD_MS);
  };
  const chain: LocalChain = openChain({ ...settings, state, onChange });
  return {
    chain,
    /** Stores pending changes and closes the files. */
    async close() {
      clearTimeout(timer);
      startWrite();
      await writes;
      await db.close();
    },
  };
}
