import { toBase64 } from "./bytes";

/** An instruction in the format of the API and the swap aggregator. */
export interface InstructionLike {
  programId: string;
  accounts: { pubkey: string; isSigner: boolean; isWritable: boolean }[];
  /** Base64. */
  data: string;
}

/**
 * An account is null when it is only in a lookup table that was not read. Signers and programs are never null, because
 * the network requires them in the message itself.
 */
export interface DecodedInstruction {
  program: string;
  accounts: readonly (string | null)[];
  data: Uint8Array;
}

export const toWritable = (pubkey: string) => ({ pubkey, isSigner: false, isWritable: true });
export const toReadonly = (pubkey: string) => ({ pubkey, isSigner: false, isWritable: false });
export const toSigner = (pubkey: string) => ({ pubkey, isSigner: true, isWritable: false });
export const toWritableSigner = (pubkey: string) => ({ pubkey, isSigner: true, isWritable: true });

export const buildInstruction = (
  programId: string,
  accounts: InstructionLike["accounts"],
  data: Uint8Array,
): InstructionLike => ({ programId, accounts, data: toBase64(data) });

export const toDataView = (data: Uint8Array) => new DataView(data.buffer, data.byteOffset, data.byteLength);

/** Shared by all calls of encodeU64. A DataView per call would take 0.45 µs instead of 0.04 µs. */
const u64Bytes = new Uint8Array(8);
const u64View = toDataView(u64Bytes);

/** Encodes an unsigned 64-bit integer as little-endian bytes. @throws {RangeError} on any other value */
export function encodeU64(value: bigint): Uint8Array {
  if (value < 0n || value >= 1n << 64n) throw new RangeError("not an unsigned 64-bit integer");
  u64View.setBigUint64(0, value, true);
  return new Uint8Array(u64Bytes);
}
