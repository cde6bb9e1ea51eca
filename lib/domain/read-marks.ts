import bs58 from "bs58";
import { toHex } from "../solana/bytes";
import type { DecodedInstruction } from "../solana/instructions";
import { readMemo } from "../solana/memo";
import { SYSTEM_PROGRAM } from "../solana/programs";
import { readTransferKeys } from "../solana/token-instructions";
import { TX_SIGNATURE_PATTERN } from "../solana/tx-signature";
import { deriveUsdcAccount } from "./dollar-accounts";
import { DIGEST_BYTES, type Mark, NOTHING_SAVED, type SignedMark, TOPUP_PERIOD_PATTERN } from "./marks";

/* Reads marks in the instructions of a transaction. Pages only write marks, so this file is not in their bundle. */

const THROUGH_PATTERN = /^roundup:2:through:([^:]+):after:([^:]+)$/;
const ONCE_PATTERN = /^roundup:1:(topup|ref):([^:]+)$/;

/** Parses a memo's text. Returns null when the text is not a mark. The text does not contain the key of a reference. */
function parseMark(text: string): Mark | null {
  const [, through = "", after = ""] = THROUGH_PATTERN.exec(text) ?? [];
  const isPayment = TX_SIGNATURE_PATTERN.test(through) && bs58.decode(through).length === 64;
  const isDigest = after === NOTHING_SAVED || bs58.decodeUnsafe(after)?.length === DIGEST_BYTES;
  if (isPayment && isDigest) return { kind: "through", value: through, after };
  const [, kind, value = ""] = ONCE_PATTERN.exec(text) ?? [];
  if (kind === "ref") return REFERENCE_HASH_PATTERN.test(value) ? { kind, value, key: null } : null;
  return kind === "topup" && TOPUP_PERIOD_PATTERN.test(value) ? { kind, value } : null;
}

const REFERENCE_HASH_PATTERN = /^[0-9a-f]{32}$/;

/** Lists the keys that a wallet's transfers of SOL name besides their own accounts. */
const listSystemKeys = (instructions: readonly DecodedInstruction[], wallet: string): string[] =>
  instructions.flatMap(({ program, accounts: [from, , key] }) =>
    program === SYSTEM_PROGRAM && from === wallet && key ? [key] : [],
  );

/** Returns whether a key's bytes start with the hash of a reference. A node may return keys that are not base58. */
const isReferenceKey = (key: string, hash: string) =>
  toHex(bs58.decodeUnsafe(key.slice(0, 44)) ?? new Uint8Array()).startsWith(hash);

/**
 * Returns the owner that a saving by allowance names: the first key that the delegate's transfer has besides its own
 * accounts, if the transfer takes tokens from that owner's associated USDC account. Null if there is none. Other keys
 * do not matter, such as the reference of a shop that the delegate itself pays. Only the chain can tell whether the
 * owner has approved the delegate.
 */
export function findAllowanceOwner(instructions: readonly DecodedInstruction[], delegate: string): string | null {
  const isOwner = (key: string, source: unknown) =>
    key !== delegate && bs58.decodeUnsafe(key)?.length === 32 && deriveUsdcAccount(key) === source;
  return (
    instructions.flatMap((instruction) => {
      const [key] = readTransferKeys(instruction, delegate);
      return key !== undefined && isOwner(key, instruction.accounts[0]) ? key : [];
    })[0] ?? null
  );
}

/** Reads the marks among a transaction's instructions. */
export function readInstructionMarks(instructions: readonly DecodedInstruction[]): SignedMark[] {
  return instructions.flatMap((instruction): SignedMark[] => {
    const signer = instruction.accounts[0] ?? null;
    const text = signer === null ? null : readMemo(instruction, signer);
    const mark = text === null ? null : parseMark(text);
    if (signer === null || !mark) return [];
    if (mark.kind === "ref") {
      const tokenKeys = instructions.flatMap((transfer) => readTransferKeys(transfer, signer));
      const keys = [...listSystemKeys(instructions, signer), ...tokenKeys];
      mark.key = keys.find((key) => isReferenceKey(key, mark.value)) ?? null;
    }
    const owner = findAllowanceOwner(instructions, signer);
    return [owner === null ? { wallet: signer, mark } : { wallet: owner, delegate: signer, mark }];
  });
}
