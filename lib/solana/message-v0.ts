import bs58 from "bs58";
import { fromBase64 } from "./bytes";
import type { InstructionLike } from "./instructions";
import { memoize } from "./memoize";

export interface MessageParts {
  payer: string;
  instructions: InstructionLike[];
  blockhash: string;
  /** Maps each table's address to the addresses in the table. */
  lookupTables?: Record<string, string[]>;
}

/** The roles of an account in a transaction. A role that one instruction needs applies to the whole transaction. */
interface AccountUse {
  key: string;
  isSigner: boolean;
  isWritable: boolean;
  /** True for a program that runs. Its address must be in the message itself, not in a lookup table. */
  isInvoked: boolean;
}

interface Lookup {
  table: string;
  /** Indexes in the table. */
  writable: number[];
  readonly: number[];
}

/** Transaction size limit: the IPv6 minimum MTU minus headers. Source: solana-packet `PACKET_DATA_SIZE`. */
export const MAX_TRANSACTION_BYTES = 1_232;
/** First byte of a v0 message. Source: solana-message `MESSAGE_VERSION_PREFIX`. */
const VERSION_0 = 0x80;
/** One byte holds an account index. */
const MAX_ACCOUNTS = 256;

/**
 * Uses the same key order as web3.js, in a tenth of its time.
 * @throws {RangeError} on an invalid address or data, and for more than 256 accounts or 1,232 bytes
 */
export function encodeMessageV0(parts: MessageParts): { bytes: Uint8Array; signerCount: number } {
  const uses = collectUses(parts);
  const allUses = [...uses.values()];
  const signers = allUses.filter(({ isSigner }) => isSigner);
  const nonSigners = allUses.filter(({ isSigner }) => !isSigner);
  const { lookups, movedKeys } = chooseLookups(uses, parts.lookupTables ?? {});
  const staticNonSigners = nonSigners.filter(({ key }) => !movedKeys.has(key));
  const staticKeys = [...sortWritableFirst(signers), ...sortWritableFirst(staticNonSigners)].map(({ key }) => key);

  const orderedKeys = [...staticKeys, ...movedKeys];
  if (orderedKeys.length > MAX_ACCOUNTS) throw new RangeError("a transaction names at most 256 accounts");
  const indexes = new Map(orderedKeys.map((key, i) => [key, i]));
  const writer = new MessageWriter();
  writer.writeByte(VERSION_0);
  writer.writeByte(signers.length);
  writer.writeByte(signers.filter(({ isWritable }) => !isWritable).length);
  writer.writeByte(staticNonSigners.filter(({ isWritable }) => !isWritable).length);
  writer.writeLength(staticKeys.length);
  for (const key of staticKeys) writer.writeBytes(decodeAddress(key));
  writer.writeBytes(decodeAddress(parts.blockhash));
  writer.writeLength(parts.instructions.length);
  for (const { programId, accounts, data } of parts.instructions) {
    writer.writeByte(indexes.get(programId)!);
    writer.writeLength(accounts.length);
    for (const { pubkey } of accounts) writer.writeByte(indexes.get(pubkey)!);
    writer.writeCounted(decodeData(data));
  }
  writer.writeLength(lookups.length);
  for (const { table, writable, readonly } of lookups) {
    writer.writeBytes(decodeAddress(table));
    writer.writeCounted(writable);
    writer.writeCounted(readonly);
  }
  return { bytes: writer.copyWrittenBytes(), signerCount: signers.length };
}

/** Lists every account once, in the order of first use. The payer comes first. */
function collectUses({ payer, instructions }: MessageParts): Map<string, AccountUse> {
  const uses = new Map<string, AccountUse>();
  addUse(uses, { key: payer, isSigner: true, isWritable: true, isInvoked: false });
  for (const { programId, accounts } of instructions) {
    addUse(uses, { key: programId, isSigner: false, isWritable: false, isInvoked: true });
    for (const { pubkey: key, isSigner, isWritable } of accounts)
      addUse(uses, { key, isSigner, isWritable, isInvoked: false });
  }
  return uses;
}

function addUse(uses: Map<string, AccountUse>, use: AccountUse): void {
  const knownUse = uses.get(use.key);
  if (!knownUse) return void uses.set(use.key, use);
  knownUse.isSigner ||= use.isSigner;
  knownUse.isWritable ||= use.isWritable;
  knownUse.isInvoked ||= use.isInvoked;
}

const sortWritableFirst = (uses: AccountUse[]): AccountUse[] => [
  ...uses.filter(({ isWritable }) => isWritable),
  ...uses.filter(({ isWritable }) => !isWritable),
];

/** `movedKeys` lists the writable accounts of all tables first, as the network does. */
function chooseLookups(
  uses: Map<string, AccountUse>,
  tables: Record<string, string[]>,
): { lookups: Lookup[]; movedKeys: Set<string> } {
  const lookups: Lookup[] = [];
  const writable = new Set<string>();
  const readonly = new Set<string>();
  for (const [table, addresses] of Object.entries(tables)) {
    const lookup: Lookup = { table, writable: [], readonly: [] };
    for (const [key, use] of uses) {
      const index = addresses.indexOf(key);
      const isMoved = writable.has(key) || readonly.has(key);
      if (use.isSigner || use.isInvoked || isMoved || index < 0 || index >= MAX_ACCOUNTS) continue;
      (use.isWritable ? lookup.writable : lookup.readonly).push(index);
      (use.isWritable ? writable : readonly).add(key);
    }
    if (lookup.writable.length + lookup.readonly.length > 0) lookups.push(lookup);
  }
  return { lookups, movedKeys: new Set([...writable, ...readonly]) };
}

/** Buffer reused for all messages. This is safe because encoding a message is synchronous. */
const messageBuffer = new Uint8Array(MAX_TRANSACTION_BYTES);

/** Appends bytes to the shared buffer. Being a class, it allocates no closures for each message. */
class MessageWriter {
  private length = 0;

  writeByte(value: number): void {
    if (this.length === messageBuffer.length) throw createTooLongError();
    messageBuffer[this.length++] = value;
  }

  writeBytes(values: ArrayLike<number>): void {
    if (this.length + values.length > messageBuffer.length) throw createTooLongError();
    messageBuffer.set(values, this.length);
    this.length += values.length;
  }

  /** Writes a length in the network's compact-u16 format: seven bits per byte, low bits first. */
  writeLength(value: number): void {
    let remainder = value;
    for (; remainder >= 0x80; remainder >>= 7) this.writeByte((remainder & 0x7f) | 0x80);
    this.writeByte(remainder);
  }

  /** Writes the number of values, then the values. */
  writeCounted(values: ArrayLike<number>): void {
    this.writeLength(values.length);
    this.writeBytes(values);
  }

  copyWrittenBytes(): Uint8Array {
    return messageBuffer.slice(0, this.length);
  }
}

export const createTooLongError = () => new RangeError(`the transaction exceeds ${MAX_TRANSACTION_BYTES} bytes`);

/**
 * Caches programs, collectors and returning users: decoding base58 would take half of the time that encoding a message
 * takes. @throws {RangeError} unless the address is base58 of 32 bytes
 */
const decodeAddress = memoize(20_000, (key) => {
  // 32 bytes are at most 44 base58 characters. Decoding is quadratic, so reject longer text first.
  const bytes = key.length <= 44 ? bs58.decodeUnsafe(key) : undefined;
  if (bytes?.length !== 32) throw new RangeError("an address is not base58 of 32 bytes");
  return bytes;
});

function decodeData(base64: string): Uint8Array {
  const data = fromBase64(base64);
  if (!data) throw new RangeError("an instruction's data is not base64");
  return data;
}
