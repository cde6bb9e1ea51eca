import { MAX_LAG_SLOTS } from "./slot-clock";
import type { ChainAccount } from "./types";

/** Earlier states of accounts, for as many slots as a lagging view may be behind. */
export interface PastAccounts {
  /** Records the state of an account before a transaction of this slot. */
  keep(address: string, before: ChainAccount | null, slot: number): void;
  /** Returns the account at the end of a slot. */
  at(address: string, slot: number): ChainAccount | null;
  /** Runs a function with the accounts as they were at the end of a slot. */
  during<T>(slot: number, run: () => T): T;
}

export function createPastAccounts(now: {
  get: (address: string) => ChainAccount | null;
  set: (address: string, account: ChainAccount | null) => void;
}): PastAccounts {
  /** Recorded states, oldest first. */
  let kept: { address: string; before: ChainAccount | null; slot: number }[] = [];
  const since = (slot: number) => kept.filter((one) => one.slot > slot);

  return {
    keep(address, before, slot) {
      if (kept[0] && kept[0].slot < slot - 2 * MAX_LAG_SLOTS) kept = since(slot - MAX_LAG_SLOTS);
      kept.push({ address, before, slot });
    },
    at(address, slot) {
      const first = kept.find((one) => one.address === address && one.slot > slot);
      return first ? first.before : now.get(address);
    },
    during(slot, run) {
      const changed = new Map<string, ChainAccount | null>();
      for (const { address, before } of since(slot)) if (!changed.has(address)) changed.set(address, before);
      const present = [...changed.keys()].map((address) => [address, now.get(address)] as const);
      for (const [address, before] of changed) now.set(address, before);
      try {
        return run();
      } finally {
        for (const [address, account] of present) now.set(address, account);
      }
    },
  };
}
