import type { Storage } from "../platform";

declare const opaque: unique symbol;

/** The request of any kind of action, and what its record keeps about a transaction. Only its spec knows their members. */
export interface AnyRequest {
  readonly [opaque]: "request";
}
export interface AnyAbout {
  readonly [opaque]: "about";
}

/** A transaction that landed. `label` and `about` are those of its `Step`. */
export interface LandedStep<About = AnyAbout> {
  label: string;
  about: About;
  txSignature: string;
}

/** A transaction that was signed and may have been posted. Posting the same bytes again is always safe. */
export interface InFlightStep<About = AnyAbout> {
  label: string;
  about: About;
  /** Signed, base64. */
  signed: string;
}

interface Progress<Request, About> {
  request: Request;
  done: LandedStep<About>[];
}

/** An action whose posted transactions all have a known outcome. */
export interface KnownRecord<Request = AnyRequest, About = AnyAbout> extends Progress<Request, About> {
  inFlight: null;
}

declare const stored: unique symbol;

/** An action with a transaction whose outcome is unknown. Only `storeInFlight` makes one, so its bytes are stored. */
export interface InFlightRecord<Request = AnyRequest, About = AnyAbout> extends Progress<Request, About> {
  inFlight: InFlightStep<About>;
  readonly [stored]: true;
}

/** The progress of one action, from its first signature to its end. It survives a reload. */
export type FlowRecord<Request = AnyRequest, About = AnyAbout> =
  | KnownRecord<Request, About>
  | InFlightRecord<Request, About>;

export const RECORD_KEY_PREFIX = "roundup-unfinished-";

export const getRecordKey = (name: string, wallet: string) => `${RECORD_KEY_PREFIX}${name}:${wallet}`;

/** Parses a record. Returns null for text without a request and steps. */
export function parseRecord<Request, About>(text: string | null): FlowRecord<Request, About> | null {
  try {
    const record = JSON.parse(text ?? "null");
    return Array.isArray(record?.done) && record.request instanceof Object ? record : null;
  } catch {
    return null;
  }
}

/** Reads the record of a wallet's flow of this name; null when there is none. Its bytes in flight may still land. */
export async function readStoredRecord<Request, About>(storage: Storage, name: string, wallet: string) {
  return parseRecord<Request, About>(await storage.get(getRecordKey(name, wallet)));
}

/** Creates the reader and writer of what one wallet's flow keeps in storage. Other tabs and programs may share it. */
export function createRecordStore<Request, About>(getStorage: () => Storage, name: string, wallet: string) {
  const key = getRecordKey(name, wallet);
  const sendCounterKey = `roundup-sent:${wallet}`;
  const expectsTransfersKey = `roundup-careful:${wallet}`;
  const writeRecord = async (record: object | null) => getStorage().set(key, record && JSON.stringify(record));
  /** Reads a counter that grows when this wallet sends a transaction, and again when the outcome is known. */
  const readSendCounter = async () => (await getStorage().get(sendCounterKey)) ?? "0";
  return {
    readRecord: () => readStoredRecord<Request, About>(getStorage(), name, wallet),
    /** Stores signed bytes before they are posted. They are not secret: posting publishes them. */
    async storeInFlight(
      record: KnownRecord<Request, About>,
      inFlight: InFlightStep<About>,
    ): Promise<InFlightRecord<Request, About>> {
      const inFlightRecord = { ...record, inFlight };
      await writeRecord(inFlightRecord);
      return inFlightRecord as InFlightRecord<Request, About>;
    },
    /** Stores the transactions that landed. Removes the record when none did. */
    storeOutcome: (record: KnownRecord<Request, About>) => writeRecord(record.done.length > 0 ? record : null),
    removeRecord: () => writeRecord(null),
    readSendCounter,
    /** Makes every earlier build stale. Call it under the wallet's lock. */
    async incrementSendCounter(): Promise<string> {
      const newCounter = String(Number(await readSendCounter()) + 1);
      await getStorage().set(sendCounterKey, newCounter);
      return newCounter;
    },
    /**
     * Returns whether the next build must leave room for a stranger's transfer. True after a refusal that such a transfer
     * may have caused, until a transaction that transfers can block lands.
     */
    expectsTransfers: async () => (await getStorage().get(expectsTransfersKey)) !== null,
    setExpectsTransfers: async (isExpected: boolean) => getStorage().set(expectsTransfersKey, isExpected ? "1" : null),
  };
}

/** Compares two requests by content. A stored one has lost its undefined members, and perhaps their order. */
export const isSameRequest = (left: unknown, right: unknown) => formatSorted(left) === formatSorted(right);

const formatSorted = (request: unknown) =>
  JSON.stringify(request, (_name, value) =>
    value && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
      : value,
  );
