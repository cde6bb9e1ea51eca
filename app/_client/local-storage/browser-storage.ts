import { RECORD_KEY_PREFIX } from "@/lib/sdk/flow/record";
import { createObservable } from "@/lib/sdk/observable";

/* Every access throws where site data is blocked. In some apps, localStorage is null. A full one throws on writes. */

export type StorageProblem = "blocked" | "full";

const PROBLEM_TEXTS: Record<StorageProblem, string> = {
  blocked: "This browser blocks storage for this site.",
  full: "This browser’s storage for this site is full.",
};

/** Thrown in place of the browser's own error when it does not store a value. */
export class StorageError extends Error {
  override name = "StorageError";
  constructor(readonly problem: StorageProblem) {
    super(PROBLEM_TEXTS[problem]);
  }
}

/** Entries that can be read again, by prefix. They make room for other entries, in this order. */
const BEST_EFFORT_PREFIXES = ["roundup-history:", "roundup-prices:"];

/** Returns an entry's place in the order in which entries make room. */
const rankKey = (key: string): number => {
  const rank = BEST_EFFORT_PREFIXES.findIndex((prefix) => key.startsWith(prefix));
  return rank === -1 ? BEST_EFFORT_PREFIXES.length : rank;
};
const isBestEffort = (key: string) => rankKey(key) < BEST_EFFORT_PREFIXES.length;

/** Key of the wallet that reconnects. Signing out removes it. Source: wallet-adapter-react. */
export const REMEMBERED_WALLET_KEY = "walletName";
const isOwnKey = (key: string) => key.startsWith("roundup-") || key === REMEMBERED_WALLET_KEY;

/** True while the storage is full and this tab's memory holds a value that cannot be read again. */
const isFull = createObservable(false);

let isWritable = true;
/** Ignores all writes from now on. Call it when the page is about to leave and must store nothing more. */
export const stopWriting = () => {
  isWritable = false;
};

/** Returns the browser's storage, or null where there is none. @param open may throw */
function openOrNull(open: () => Storage | null): Storage | null {
  try {
    return open() ?? null;
  } catch {
    return null;
  }
}

/** Writes a value. Removes entries that make room, and passes them to `onRemoved`. @throws {StorageError} when full */
function write(storage: Storage, key: string, value: string, onRemoved: (key: string, value: string) => void): void {
  try {
    storage.setItem(key, value);
  } catch {
    const [removedKey] = Object.keys(storage)
      .filter((name) => rankKey(name) < rankKey(key))
      .sort((left, right) => rankKey(left) - rankKey(right));
    if (removedKey === undefined) throw new StorageError("full");
    onRemoved(removedKey, storage.getItem(removedKey) ?? "");
    storage.removeItem(removedKey);
    write(storage, key, value, onRemoved);
  }
}

/** Creates a storage that reads without throwing. @param open returns the browser's storage; it may throw */
function createGuardedStorage(open: () => Storage | null) {
  /** Values that the browser did not store. They end with the page. */
  const memory = new Map<string, string>();
  /** A later write of another tab replaces a value in memory. */
  const handleOtherTab = ({ key }: StorageEvent) => (key === null ? memory.clear() : memory.delete(key));
  const storeInMemory = (key: string, value: string) => {
    globalThis.addEventListener?.("storage", handleOtherTab);
    memory.set(key, value);
  };
  /** Stores a value; null removes it. @throws {StorageError} */
  const store = (key: string, value: string | null) => {
    // Bytes whose record cannot be stored must not be posted.
    if (!isWritable && value !== null && key.startsWith(RECORD_KEY_PREFIX)) throw new StorageError("blocked");
    if (!isWritable) return;
    const storage = openOrNull(open);
    if (value === null) storage?.removeItem(key);
    else if (storage) write(storage, key, value, storeInMemory);
    else throw new StorageError("blocked");
    memory.delete(key);
  };
  /** Stores a value, or keeps it until the page ends; a stored earlier version stays. @returns whether it is stored */
  const keep = (key: string, value: string | null): boolean => {
    try {
      store(key, value);
      return true;
    } catch {
      storeInMemory(key, value!);
      if (!isBestEffort(key)) isFull.set(true);
      return false;
    }
  };
  const listKeys = () => [...new Set([...Object.keys(openOrNull(open) ?? {}), ...memory.keys()])];
  return {
    isBlocked: () => openOrNull(open) === null,
    get: (key: string): string | null => memory.get(key) ?? openOrNull(open)?.getItem(key) ?? null,
    /** Returns whether the value outlasts the page. */
    isStored: (key: string): boolean => !memory.has(key),
    store,
    keep,
    /** Like `keep`, for a value whose earlier version must not come back after a reload. */
    replace(key: string, value: string | null): void {
      if (!keep(key, value)) openOrNull(open)?.removeItem(key);
    },
    listKeys,
    /** Stores what only memory holds. @throws {StorageError} when it does not fit */
    storeMemory(): void {
      for (const [key, value] of memory) if (!isBestEffort(key)) store(key, value);
    },
    removeOwnEntries(): void {
      for (const key of listKeys().filter(isOwnKey)) store(key, null);
    },
    /** Returns how many characters other pages at this address have stored. */
    measureOtherEntries: () =>
      Object.entries<string>(openOrNull(open) ?? {})
        .filter(([key]) => !isOwnKey(key))
        .reduce((sum, [key, value]) => sum + key.length + value.length, 0),
    removeOtherEntries(): void {
      for (const key of listKeys().filter((key) => !isOwnKey(key))) store(key, null);
    },
  };
}

/** What all tabs share. */
export const browserStore = createGuardedStorage(() => localStorage);
/** What ends with the tab. */
export const tabStore = createGuardedStorage(() => sessionStorage);

/** Longer than the record of any payment, in characters: its request, what landed, and a signed transaction. */
const RECORD_LENGTH = 16_384;
const PROBE_KEY = "roundup-probe";

const isStored = (store: () => void): boolean => {
  try {
    store();
    return true;
  } catch {
    return false;
  }
};

/** Stores what only memory holds. @returns why the record of a payment would not fit then; null if it fits */
export function checkRoom(): StorageProblem | null {
  if (browserStore.isBlocked()) return "blocked";
  const isMemoryStored = isStored(browserStore.storeMemory);
  const hasRoom = isStored(() => browserStore.store(PROBE_KEY, "x".repeat(RECORD_LENGTH)));
  browserStore.store(PROBE_KEY, null);
  isFull.set(!isMemoryStored);
  return hasRoom ? null : "full";
}

/** Returns why this tab holds values that the browser does not store; null when it holds none. */
export const findStorageProblem = (): StorageProblem | null =>
  browserStore.isBlocked() ? "blocked" : isFull.get() ? "full" : null;
/** Calls the listener when `findStorageProblem` may have changed. */
export const subscribeToStorageProblem = isFull.subscribe;
