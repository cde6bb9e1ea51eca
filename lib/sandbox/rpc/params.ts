import bs58 from "bs58";
import { decodeAddress, isSignature, MAX_V1_TRANSACTION_BYTES } from "../chain/decode-transaction";
import { type Commitment, RPC_CODES, RpcError, refuseParams } from "../chain/types";

/* Parses JSON-RPC parameters. Each parser throws RpcError -32602 with the reason. */

export type Params = readonly unknown[];
export type Config = Readonly<Record<string, unknown>>;

/** Longest encodings of a transaction of version 1, in characters. Longer texts are refused before they are decoded. */
const MAX_ENCODED_LENGTH = { base64: 5464, base58: 5594 } as const;

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function parseText(params: Params, index: number, name: string): string {
  const value = params[index];
  return typeof value === "string" ? value : refuseParams(`Invalid params: ${name} must be a string`);
}

export function parseAddress(params: Params, index: number): string {
  const address = parseText(params, index, "address");
  decodeAddress(address);
  return address;
}

export function parseAddresses(value: unknown, maxCount: number): string[] {
  if (!Array.isArray(value)) refuseParams("Invalid params: a list of addresses is expected");
  if (value.length > maxCount) refuseParams(`Too many inputs provided; max ${maxCount}`);
  for (const address of value) decodeAddress(address as string);
  return value as string[];
}

export function parseSignature(params: Params, index: number): string {
  const value = params[index];
  return isSignature(value) ? value : refuseParams("Invalid param: Invalid: not a 64-byte base58 signature");
}

/** Parses a whole number from `min` to `max`. Returns `fallback` when the value is absent or null. */
export function parseWholeNumber(value: unknown, name: string, min: number, max: number, fallback?: number): number {
  if ((value === undefined || value === null) && fallback !== undefined) return fallback;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max) return value;
  return refuseParams(`Invalid params: ${name} must be a whole number from ${min} to ${max}`);
}

export function parseFlag(config: Config, name: string): boolean {
  const value = config[name] ?? false;
  return typeof value === "boolean" ? value : refuseParams(`Invalid params: ${name} must be true or false`);
}

/** Parses the config of a method. Its commitment, if any, must be valid. */
export function parseConfig(params: Params, index: number): Config {
  const value = params[index] ?? {};
  if (!isObject(value)) return refuseParams(`Invalid params: parameter ${index + 1} must be an object`);
  parseCommitment(value);
  return value;
}

/** Parses a commitment. The default is "finalized", as on a cluster. */
export function parseCommitment(config: Config, key = "commitment"): Commitment {
  const value = config[key] ?? "finalized";
  if (value === "processed" || value === "confirmed" || value === "finalized") return value;
  return refuseParams(`Invalid params: unknown commitment ${JSON.stringify(value)}`);
}

/** Reads the commitment of a history method. @throws RpcError -32602 for `processed`, which has no history */
export function parseHistoryCommitment(config: Config): Commitment {
  const commitment = parseCommitment(config);
  return commitment === "processed" ? refuseParams("Method does not support commitment below `confirmed`") : commitment;
}

/** Checks minContextSlot. @throws RpcError -32016 when the caller has seen a later slot than this chain's */
export function checkMinContextSlot(config: Config, slot: number): void {
  const minSlot = parseWholeNumber(config.minContextSlot, "minContextSlot", 0, Number.MAX_SAFE_INTEGER, 0);
  if (minSlot <= slot) return;
  const message = "Minimum context slot has not been reached";
  throw new RpcError(RPC_CODES.minContextSlotNotReached, message, { contextSlot: slot });
}

function decodeBase64(text: string): Uint8Array {
  const bytes = Buffer.from(text, "base64");
  // Node's decoder skips invalid characters. Only canonical text encodes back to the same text.
  return bytes.toString("base64") === text ? bytes : refuseParams("invalid base64 encoding");
}

/** Decodes the wire bytes of a transaction or message. @param encoding the config's encoding, base58 or base64 */
export function decodeBytes(text: string, encoding: unknown): Uint8Array {
  if (encoding !== "base64" && encoding !== "base58") {
    return refuseParams(`unsupported encoding: ${String(encoding)}. Supported encodings: base58, base64`);
  }
  const maxLength = MAX_ENCODED_LENGTH[encoding];
  if (text.length > maxLength) {
    const limit = `(max: encoded/raw ${maxLength}/${MAX_V1_TRANSACTION_BYTES})`;
    return refuseParams(`${encoding} encoded transaction too large: ${text.length} bytes ${limit}`);
  }
  if (encoding === "base64") return decodeBase64(text);
  return bs58.decodeUnsafe(text) ?? refuseParams("invalid base58 encoding");
}
