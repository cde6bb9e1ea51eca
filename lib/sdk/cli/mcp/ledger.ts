import { DAY_MS } from "../../../domain/prices/price-history";
import type { Storage } from "../../world";
import { type ActivityReader, readDayMoves } from "../state/day";

/** An action of the last day, recorded before its first signature. */
interface LedgerEntry {
  id: string;
  atMs: number;
  /** Value moved, in micro-dollars, as decimal digits. */
  microUsd: string;
  /** Signatures that landed or may land; empty until they are known. */
  txSignatures: string[];
}

export type Ledger = ReturnType<typeof openLedger>;

/**
 * Opens the ledger of one service wallet, which records the actions of all programs that share this storage. The chain
 * shows an action late, and never shows a pending one. An entry is removed after a day, or when none of its transactions
 * was sent. Uncertain entries count.
 * @param now returns milliseconds since the Unix epoch
 */
export function openLedger(storage: Storage, serviceWallet: string, now: () => number) {
  const key = `roundup-agent:${serviceWallet}`;
  const selectLastDay = async () => {
    const entries: LedgerEntry[] = JSON.parse((await storage.get(key)) ?? "[]");
    // No upper bound: an entry written by a clock that ran ahead counts as well.
    return entries.filter(({ atMs }) => atMs > now() - DAY_MS);
  };
  const write = async (entries: LedgerEntry[]) => storage.set(key, JSON.stringify(entries));
  return {
    selectLastDay,
    /** Returns the movements of the last day on the chain, by any program; see `readDayMoves` in state/day.ts. */
    listMovesOfADay: (reader: ActivityReader) => readDayMoves(reader, storage, serviceWallet, now()),
    add: async (id: string, microUsd: bigint) =>
      write([...(await selectLastDay()), { id, atMs: now(), microUsd: `${microUsd}`, txSignatures: [] }]),
    /** @param txSignatures signatures that landed or may land; an empty list removes the entry */
    async recordOutcome(id: string, txSignatures: string[]) {
      const entries = await selectLastDay();
      const others = entries.filter((entry) => entry.id !== id);
      const matching = entries.filter((entry) => entry.id === id && txSignatures.length > 0);
      await write([...others, ...matching.map((entry) => ({ ...entry, txSignatures }))]);
    },
  };
}
