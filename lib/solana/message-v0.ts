import bs58 from "bs58";
import { fromBase64 } from "./bytes";
import type { InstructionLike } from "./instructions";
import { memoize } from "./memoize";

export interface MessageParts {
  payer: string;
  instructions: InstructionLike[];
  blockhash: string;
  /** Table address → addresses in the table. */
  lookupTables?: Record<string, string[]>;
}

/** How the transaction uses an account: the strongest use among its instructions. */
interface Use {
  key: string;
  signer: boolean;
  writable: boolean;
  /** True for a program that runs. Such accounts must be in the message itself. */
  invoked: boolean;
}

interface Lookup {
  table: string;
  writable: number[];
  readonly: number[];
}

/** Transaction size limit: the IPv6 minimum MTU minus headers. Source: solana-packet `PACKET_DATA_SIZE`. */
export const MAX_TRANSACTION_BYTES = 1_232;
/** First byte of a v0 message. Source: solana-message `MESSAGE_VERSION_PREFIX`. */
export const VERSION_0 = 0x80;
/** One byte holds an account index. */
const MAX_ACCOUNTS = 256;

/**
 * Encodes a v0 message with the same key order as web3.js, in a tenth of its time.
 * @returns the bytes and the number of required signers
 * @throws {RangeError} on an invalid address or invalid instruction data, or when the message exceeds the limits
 */
export function encodeMessageV0(parts: MessageParts): { bytes: Uint8Array; signers: number } {
  const uses = collectUses(parts);
  const keys = [...uses.values()];
  const signers = keys.filter(({ signer }) => signer);
  const others = keys.filter(({ signer }) => !signer);
  const { lookups, moved } = takeLookups(uses, parts.lookupTables ?? {});
  const kept = others.filter(({ key }) => !moved.has(key));
  const fixed = [...sortWritableFirst(signers), ...sortWritableFirst(kept)].map(({ key }) => key);

  const order = [...fixed, ...moved];
  if (order.length > MAX_ACCOUNTS) throw new RangeError("a transaction names at most 256 accounts");
  const indexes = new Map(order.map((key, i) => [key, i]));
  const out = new Writer();
  out.writeByte(VERSION_0);
  out.writeByte(signers.length);
  out.writeByte(signers.filter(({ writable }) => !writable).length);
  out.writeByte(kept.filter(({ writable }) => !writable).length);
  out.writeLength(fixed.length);
  for (const key of fixed) out.writeBytes(decodeAddress(key));
  out.writeBytes(decodeAddress(parts.blockhash));
  out.writeLength(parts.instructions.length);
  for (const { programId, accounts, data } of parts.instructions) {
    out.writeByte(indexes.get(programId)!);
    out.writeLength(accounts.length);
    for (const { pubkey } of accounts) out.writeByte(indexes.get(pubkey)!);
    out.writeCounted(decodeData(data));
  }
  out.writeLength(lookups.length);
  for (const { table, writable, readonly } of lookups) {
    out.writeBytes(decodeAddress(table));
    out.writeCounted(writable);
    out.writeCounted(readonly);
  }
  return { bytes: out.copyWritten(), signers: signers.length };
}

/** Lists every account once, in the order of first use. The payer comes first. */
function collectUses({ payer, instructions }: MessageParts): Map<string, Use> {
  const uses = new Map<string, Use>();
  addUse(uses, payer, true, true, false);
  for (const { programId, accounts } of instructions) {
    addUse(uses, programId, false, false, true);
    for (const { pubkey, isSigner, isWritable } of accounts) addUse(uses, pubkey, isSigner, isWritable, false);
  }
  return uses;
}

function addUse(uses: Map<string, Use>, key: string, signer: boolean, writable: boolean, invoked: boolean): void {
  const known = uses.get(key);
  if (!known) return void uses.set(key, { key, signer, writable, invoked });
  known.signer ||= signer;
  known.writable ||= writable;
  known.invoked ||= invoked;
}

const sortWritableFirst = (keys: Use[]): Use[] => [
  ...keys.filter(({ writable }) => writable),
  ...keys.filter(({ writable }) => !writable),
];

/** Moves accounts found in a table out of the message. `moved` lists the writable ones of all tables first. */
function takeLookups(
  uses: Map<string, Use>,
  tables: Record<string, string[]>,
): { lookups: Lookup[]; moved: Set<string> } {
  const lookups: Lookup[] = [];
  const writable = new Set<string>();
  const readonly = new Set<string>();
  for (const [table, addresses] of Object.entries(tables)) {
    const lookup: Lookup = { table, writable: [], readonly: [] };
    for (const [key, use] of uses) {
      const index = addresses.indexOf(key);
      const taken = writable.has(key) || readonly.has(key);
      if (use.signer || use.invoked || taken || index < 0 || index >= MAX_ACCOUNTS) continue;
      (use.writable ? lookup.writable : lookup.readonly).push(index);
      (use.writable ? writable : readonly).add(key);
    }
    if (lookup.writable.length + lookup.readonly.length > 0) lookups.push(lookup);
  }
  return { lookups, moved: new Set([...writable, ...readonly]) };
}

/** Buffer reused for all messages. This is safe because encoding a message is synchronous. */
const buffer = new Uint8Array(MAX_TRANSACTION_BYTES);

/** Appends bytes up to the size of a transaction. A class avoids allocating closures for each message. */
class Writer {
  private at = 0;

  writeByte(value: number): void {
    if (this.at === buffer.length) throw createTooLongError();
    buffer[this.at++] = value;
  }

  writeBytes(values: ArrayLike<number>): void {
    if (this.at + values.length > buffer.length) throw createTooLongError();
    buffer.set(values, this.at);
    this.at += values.length;
  }

  /** Writes a length in the network's compact-u16 format: seven bits per byte, low bits first. */
  writeLength(value: number): void {
    let rest = value;
    for (; rest >= 0x80; rest >>= 7) this.writeByte((rest & 0x7f) | 0x80);
    this.writeByte(rest);
  }

  /** Writes the number of values, then the values. */
  writeCounted(values: ArrayLike<number>): void {
    this.writeLength(values.length);
    this.writeBytes(values);
  }

  copyWritten(): Uint8Array {
    return buffer.slice(0, this.at);
  }
}

export const createTooLongError = () => new RangeError(`the transaction exceeds ${MAX_TRANSACTION_BYTES} bytes`);

/**
 * Returns the bytes of an address. Programs, collectors and returning users come from the cache: decoding base58 takes
 * half of the encoding time.
 * @throws {RangeError} unless it is base58 of 32 bytes
 */
export const decodeAddress = memoize(20_000, (key) => {
  // Decoding is quadratic, so reject longer text first.
  const bytes = key.length <= 44 ? bs58.decodeUnsafe(key) : undefined;
  if (bytes?.length !== 32) throw new RangeError("an address is not base58 of 32 bytes");
  return bytes;
});

function decodeData(base64: string): Uint8Array {
  const data = fromBase64(base64);
  if (!data) throw new RangeError("an instruction's data is not base64");
  return data;
}
