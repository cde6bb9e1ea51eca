import type { Storage } from "../world";

/** What is known of a run of transactions between its first signature and its end. It outlives a reload. */
export interface Unfinished<R, D> {
  request: R;
  /** What has landed, in order. */
  done: { label: string; about: D; txSignature: string }[];
  /** Signed and posted, outcome not known yet. Posting the same bytes again is always safe. */
  inFlight: { label: string; about: D; signed: string } | null;
}

/** Where a wallet's run of this name is remembered. */
export const unfinishedKey = (name: string, wallet: string) => `roundup-unfinished-${name}:${wallet}`;

/** A record as it was kept, by whichever version of this code; null for what is none. */
export function parseUnfinished<R, D>(text: string | null): Unfinished<R, D> | null {
  try {
    const record = JSON.parse(text ?? "null");
    return record !== null && Array.isArray(record.done) && typeof record.request === "object" ? record : null;
  } catch {
    return null;
  }
}

/** The memory of one wallet's runs of one name. */
export interface Memory<R, D> {
  read(): Promise<Unfinished<R, D> | null>;
  /** Signed transactions are no secret: they are public once they are sent. Null forgets. */
  keep(record: Unfinished<R, D> | null): Promise<void>;
  /** Changes whenever something of this wallet is sent, and again when its outcome is known. */
  stamp(): Promise<string>;
  /** What was built before this moment no longer fits. */
  changeStamp(): Promise<void>;
  /** Whether a transaction of this wallet was refused, and none of the kind has landed since. */
  isCareful(): Promise<boolean>;
  setCareful(careful: boolean): Promise<void>;
}

export function memoryOf<R, D>(storage: () => Storage, name: string, wallet: string): Memory<R, D> {
  const key = unfinishedKey(name, wallet);
  const stampKey = `roundup-sent:${wallet}`;
  const carefulKey = `roundup-careful:${wallet}`;
  const stamp = async () => (await storage().get(stampKey)) ?? "0";
  return {
    read: async () => parseUnfinished(await storage().get(key)),
    keep: async (record) => storage().set(key, record && JSON.stringify(record)),
    stamp,
    changeStamp: async () => storage().set(stampKey, String(Number(await stamp()) + 1)),
    isCareful: async () => (await storage().get(carefulKey)) !== null,
    setCareful: async (careful) => storage().set(carefulKey, careful ? "1" : null),
  };
}
