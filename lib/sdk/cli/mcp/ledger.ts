import type { Storage } from "../../world";
import { DAY_MS, movesOfADay, type Reader } from "../state/day";

/** An action of the last day, written down before anything of it is signed. */
interface Entry {
  id: string;
  atMs: number;
  /** What it moves, micro-dollars in decimal. */
  microUsd: string;
  /** What of it landed or may land; empty until it is known. */
  txSignatures: string[];
}

/**
 * What was done in one service wallet by programs that share the storage: the chain shows it later, and what is pending not
 * at all. An entry leaves when nothing of it was sent, or after a day: what is uncertain counts.
 */
export interface Ledger {
  ofLastDay(): Promise<Entry[]>;
  add(id: string, microUsd: bigint): Promise<void>;
  /** @param txSignatures what landed or may land; none: nothing of it was or will be sent */
  settle(id: string, txSignatures: string[]): Promise<void>;
  /** What the chain shows, by whatever program: see movesOfADay. */
  movesOfADay(reader: Reader): ReturnType<typeof movesOfADay>;
}

export function ledgerOf(storage: Storage, serviceWallet: string, now: () => number): Ledger {
  const key = `roundup-agent:${serviceWallet}`;
  const ofLastDay = async () => {
    const entries: Entry[] = JSON.parse((await storage.get(key)) ?? "[]");
    // What was written by a clock that ran ahead counts as well.
    return entries.filter(({ atMs }) => atMs > now() - DAY_MS);
  };
  const write = (entries: Entry[]) => storage.set(key, JSON.stringify(entries));
  return {
    ofLastDay,
    movesOfADay: (reader) => movesOfADay(reader, storage, serviceWallet, now()),
    add: async (id, microUsd) =>
      write([...(await ofLastDay()), { id, atMs: now(), microUsd: `${microUsd}`, txSignatures: [] }]),
    async settle(id, txSignatures) {
      const entries = await ofLastDay();
      const others = entries.filter((entry) => entry.id !== id);
      const own = entries.filter((entry) => entry.id === id && txSignatures.length > 0);
      await write([...others, ...own.map((entry) => ({ ...entry, txSignatures }))]);
    },
  };
}
