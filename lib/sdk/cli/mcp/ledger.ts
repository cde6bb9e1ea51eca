import type { Storage } from "../../world";
import { DAY_MS, type Reader, readDayMoves } from "../state/day";

/** An action of the last day, recorded before its first signature. */
interface Entry {
  id: string;
  atMs: number;
  /** Value moved, in micro-dollars, as decimal digits. */
  microUsd: string;
  /** Signatures that landed or may land; empty until they are known. */
  txSignatures: string[];
}

/**
 * Records the actions of all programs that share this storage, for one service wallet. The chain shows an action late,
 * and never shows a pending one. An entry is removed after a day, or when none of its transactions was sent. Uncertain
 * entries count.
 */
export interface Ledger {
  selectLastDay(): Promise<Entry[]>;
  add(id: string, microUsd: bigint): Promise<void>;
  /**
   * Records the outcome of an action.
   * @param txSignatures signatures that landed or may land; an empty list removes the entry
   */
  recordOutcome(id: string, txSignatures: string[]): Promise<void>;
  /** Returns the movements of the last day on the chain, by any program; see `readDayMoves` in state/day.ts. */
  listMovesOfADay(reader: Reader): ReturnType<typeof readDayMoves>;
}

/** Opens the ledger of one service wallet. @param now returns milliseconds since the Unix epoch */
export function openLedger(storage: Storage, serviceWallet: string, now: () => number): Ledger {
  const key = `roundup-agent:${serviceWallet}`;
  const selectLastDay = async () => {
    const entries: Entry[] = JSON.parse((await storage.get(key)) ?? "[]");
    // No upper bound: an entry written by a clock that ran ahead counts as well.
    return entries.filter(({ atMs }) => atMs > now() - DAY_MS);
  };
  const write = (entries: Entry[]) => storage.set(key, JSON.stringify(entries));
  return {
    selectLastDay,
    listMovesOfADay: (reader) => readDayMoves(reader, storage, serviceWallet, now()),
    add: async (id, microUsd) =>
      write([...(await selectLastDay()), { id, atMs: now(), microUsd: `${microUsd}`, txSignatures: [] }]),
    async recordOutcome(id, txSignatures) {
      const entries = await selectLastDay();
      const others = entries.filter((entry) => entry.id !== id);
      const matching = entries.filter((entry) => entry.id === id && txSignatures.length > 0);
      await write([...others, ...matching.map((entry) => ({ ...entry, txSignatures }))]);
    },
  };
}
