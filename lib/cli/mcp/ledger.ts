import { DAY_MS } from "../../domain/time";
import type { Storage } from "../../sdk/platform";
import { type ActivityReader, readDayMoves } from "../state/day-moves";

/** A stored action of the last day. It is recorded before its first signature. */
interface LedgerEntry {
  id: string;
  /** Start of the action, ms since the Unix epoch. */
  atMs: number;
  /** Value moved, in micro-dollars, as decimal digits. */
  microUsd: string;
  /** Signatures that landed or may land; empty until they are known. */
  txSignatures: string[];
}

export type Ledger = ReturnType<typeof openLedger>;

/**
 * Opens the ledger of one service wallet, which records the actions of every `roundup mcp` that uses this storage. It is
 * needed because the chain shows an action late, and never shows a pending one. An entry is removed after a day, or when
 * none of its transactions was sent. An entry with an unknown outcome counts towards the limits.
 * @param now returns milliseconds since the Unix epoch
 */
export function openLedger(storage: Storage, serviceWallet: string, now: () => number) {
  const key = `roundup-agent:${serviceWallet}`;
  const readLastDayEntries = async () => {
    const entries: LedgerEntry[] = JSON.parse((await storage.get(key)) ?? "[]");
    // No upper bound: an entry written by a clock that ran ahead counts as well.
    return entries.filter(({ atMs }) => atMs > now() - DAY_MS);
  };
  const writeEntries = async (entries: LedgerEntry[]) => storage.set(key, JSON.stringify(entries));
  return {
    readLastDayEntries,
    /** Returns the movements of the last day on the chain, by any program; see `readDayMoves` in state/day-moves.ts. */
    readMovesOfADay: (reader: ActivityReader) => readDayMoves(reader, storage, serviceWallet, now()),
    addEntry: async (id: string, microUsd: bigint) =>
      writeEntries([...(await readLastDayEntries()), { id, atMs: now(), microUsd: `${microUsd}`, txSignatures: [] }]),
    /** Stores the signatures that landed or may land. An empty list removes the entry. */
    async recordOutcome(id: string, txSignatures: string[]) {
      const entries = (await readLastDayEntries()).map((entry) =>
        entry.id === id ? { ...entry, txSignatures } : entry,
      );
      await writeEntries(entries.filter((entry) => entry.id !== id || txSignatures.length > 0));
    },
  };
}
