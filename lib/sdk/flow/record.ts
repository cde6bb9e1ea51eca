import type { Storage } from "../world";

declare const opaque: unique symbol;

/** The request of any kind of payment. Only the payment's spec knows its members. */
export interface AnyRequest {
  readonly [opaque]: "request";
}

/** What the record of any kind of payment keeps about a transaction. Only the payment's spec knows its members. */
export interface AnyAbout {
  readonly [opaque]: "about";
}

/** A transaction that landed. */
export interface LandedStep<D = AnyAbout> {
  label: string;
  about: D;
  txSignature: string;
}

/** A transaction that was signed and may have been posted. Posting the same bytes again is always safe. */
export interface InFlightStep<D = AnyAbout> {
  label: string;
  about: D;
  /** Signed, base64. */
  signed: string;
}

interface Progress<R, D> {
  request: R;
  /** In the order in which they landed. */
  done: LandedStep<D>[];
}

/** A payment whose posted transactions all have a known outcome. */
export interface KnownRecord<R = AnyRequest, D = AnyAbout> extends Progress<R, D> {
  inFlight: null;
}

declare const stored: unique symbol;

/** A payment with a transaction whose outcome is unknown. Only the memory makes one, so its bytes are always stored. */
export interface InFlightRecord<R = AnyRequest, D = AnyAbout> extends Progress<R, D> {
  inFlight: InFlightStep<D>;
  readonly [stored]: true;
}

/** The progress of one payment, from its first signature to its end. It survives a reload. */
export type FlowRecord<R = AnyRequest, D = AnyAbout> = KnownRecord<R, D> | InFlightRecord<R, D>;

/** Returns the storage key of the record of a wallet's flow of this name. */
export const getRecordKey = (name: string, wallet: string) => `roundup-unfinished-${name}:${wallet}`;

/** Parses a stored record, also of older versions of this code. Returns null for text that is not a record. */
export function parseRecord<R, D>(text: string | null): FlowRecord<R, D> | null {
  try {
    const record = JSON.parse(text ?? "null");
    return record !== null && Array.isArray(record.done) && typeof record.request === "object" ? record : null;
  } catch {
    return null;
  }
}

/** Reads what a wallet's flow of this name has stored. Its transaction in flight may still land. */
export async function readStoredRecord<R, D>(storage: Storage, name: string, wallet: string) {
  return parseRecord<R, D>(await storage.get(getRecordKey(name, wallet)));
}

/** Reads and writes what one wallet's flow keeps in storage, which other tabs and programs may share. */
export function createFlowMemory<R, D>(storage: () => Storage, name: string, wallet: string) {
  const key = getRecordKey(name, wallet);
  const stampKey = `roundup-sent:${wallet}`;
  const carefulKey = `roundup-careful:${wallet}`;
  const write = async (record: object | null) => storage().set(key, record && JSON.stringify(record));
  /** Reads a counter that grows when this wallet sends something, and again when its outcome is known. */
  const readStamp = async () => (await storage().get(stampKey)) ?? "0";
  return {
    readRecord: () => readStoredRecord<R, D>(storage(), name, wallet),
    /** Stores signed bytes before they are posted. They are not secret: posting publishes them. */
    async storeSigned(record: KnownRecord<R, D>, inFlight: InFlightStep<D>): Promise<InFlightRecord<R, D>> {
      const sent = { ...record, inFlight };
      await write(sent);
      return sent as InFlightRecord<R, D>;
    },
    /** Stores what landed. A record of which nothing landed is removed. */
    storeOutcome: (record: KnownRecord<R, D>) => write(record.done.length > 0 ? record : null),
    removeRecord: () => write(null),
    readStamp,
    /** Increments the counter and returns it. Everything built before is stale then. Call it under the wallet's lock. */
    async changeStamp(): Promise<string> {
      const next = String(Number(await readStamp()) + 1);
      await storage().set(stampKey, next);
      return next;
    },
    /** Returns whether a transaction of this wallet was refused and none of its kind has landed since. */
    isCareful: async () => (await storage().get(carefulKey)) !== null,
    setCareful: async (isCareful: boolean) => storage().set(carefulKey, isCareful ? "1" : null),
  };
}

/** Compares two requests by content: a stored one has lost its undefined members, and perhaps the order of others. */
export const isSameRequest = (left: unknown, right: unknown) => toSortedText(left) === toSortedText(right);

const toSortedText = (request: unknown) =>
  JSON.stringify(request, (_name, value) =>
    value && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
      : value,
  );
