import {
  type AddressLookupTableAccount,
  Message,
  type MessageAddressTableLookup,
  MessageV0,
  PublicKey,
  type VersionedMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import bs58 from "bs58";
import { fromBase64, toBase64 } from "../solana/bytes";
import type { InstructionLike } from "../solana/instructions";
import { MAX_TRANSACTION_BYTES } from "../solana/message-v0";
import { decodeTransaction, TransactionFault } from "../solana/transactions";
import { type RequestedWrap, verifyWrapInstructions } from "./verify/wrap";

/** Thrown when a round-up cannot be added to the given transaction. */
export class CannotAttach extends Error {
  override name = "CannotAttach";
  constructor(
    message: string,
    /** Bytes over the transaction size limit; null when size is not the reason. */
    readonly overrunBytes: number | null = null,
  ) {
    super(message);
  }
}

/** Describes how the whole transaction uses an account. */
interface Use {
  signer: boolean;
  writable: boolean;
}

type Instructions = VersionedMessage["compiledInstructions"];

/**
 * Verifies a round-up and appends it to an app's own transaction, as `append` does. The instructions must save the
 * change of the requested purchases and do nothing else.
 * @param transaction base64
 * @param wrap the response of POST /api/wrap or /api/wrap/batch; a skipped round-up leaves the transaction unchanged
 * @param asked the user's own inputs; never copy them from the response
 * @param tables the lookup tables that the transaction uses, as returned by `Connection.getAddressLookupTable`
 * @throws {NotAsShown} when the round-up differs from the request @throws {CannotAttach} as `append`
 */
export function attach(
  transaction: string,
  wrap: Parameters<typeof verifyWrapInstructions>[0],
  asked: RequestedWrap,
  tables: readonly AddressLookupTableAccount[] = [],
): string {
  if (wrap.instructions.length > 0) verifyWrapInstructions(wrap, asked);
  return append(transaction, wrap.instructions, tables);
}

/**
 * Appends a round-up's instructions to an app's own transaction, legacy or v0. The version, payer, blockhash,
 * instruction order, compute budget, signers and lookup tables stay the same. Each transfer needs 150 compute units of
 * that budget. The result is unsigned: existing signatures cover other bytes, so they are zeroed. Every account of the
 * round-up becomes a static account key, including accounts that a lookup table held before.
 * @param transaction base64
 * @param added not verified here; an empty list returns the transaction unchanged
 * @param tables the lookup tables that the transaction uses, as returned by `Connection.getAddressLookupTable`
 * @throws {CannotAttach} over 1,232 bytes, when a lookup table is missing, or when the input is not a transaction
 */
export function append(
  transaction: string,
  added: InstructionLike[],
  tables: readonly AddressLookupTableAccount[] = [],
): string {
  const { message } = readBase64Transaction(transaction);
  if (added.length === 0) return transaction;
  const loaded = loadedBy(message, tables);
  const uses = mergedUses(message, loaded, added);
  const keys = inOrder(uses);
  const stillLoaded = (key: string) => !uses.has(key);
  const lookups = lookupsWithout(message.addressTableLookups, loaded, stillLoaded);
  const all = [...keys, ...loaded.addresses.filter(stillLoaded)];
  const indexOf = new Map(all.map((key, i) => [key, i]));

  const before = [...message.staticAccountKeys.map((key) => key.toBase58()), ...loaded.addresses];
  const moved = message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
    programIdIndex: indexOf.get(before[programIdIndex]!)!,
    accountKeyIndexes: accountKeyIndexes.map((index) => indexOf.get(before[index]!)!),
    data,
  }));
  const atTheEnd = added.map(({ programId, accounts, data }) => ({
    programIdIndex: indexOf.get(programId)!,
    accountKeyIndexes: accounts.map(({ pubkey }) => indexOf.get(pubkey)!),
    data: fromBase64(data) ?? refusal("An instruction's data is not base64."),
  }));
  return compose(message, { uses, keys, instructions: [...moved, ...atTheEnd], lookups });
}

const refusal = (message: string): never => {
  throw new CannotAttach(message);
};

function readBase64Transaction(transaction: string): VersionedTransaction {
  const bytes = fromBase64(transaction) ?? refusal("The transaction is not base64.");
  try {
    return decodeTransaction(bytes).decoded;
  } catch (error) {
    if (error instanceof TransactionFault) throw new CannotAttach(error.message);
    throw error;
  }
}

interface LookupAddresses {
  /** In index order: the writable addresses of all tables, then the readonly ones. */
  addresses: string[];
  writable: Set<string>;
  at(table: PublicKey, index: number): string;
}

function loadedBy(
  { addressTableLookups }: VersionedMessage,
  tables: readonly AddressLookupTableAccount[],
): LookupAddresses {
  const at = (table: PublicKey, index: number) => {
    const found = tables.find(({ key }) => key.equals(table))?.state.addresses[index];
    return (
      found?.toBase58() ?? refusal(`The transaction uses the lookup table ${table.toBase58()}: its content is needed.`)
    );
  };
  const from = (part: "writableIndexes" | "readonlyIndexes") =>
    addressTableLookups.flatMap((lookup) => lookup[part].map((index) => at(lookup.accountKey, index)));
  const writable = from("writableIndexes");
  return { addresses: [...writable, ...from("readonlyIndexes")], writable: new Set(writable), at };
}

/** Merges the flags of every static account: it is a signer, or writable, if either side requires it. */
function mergedUses(message: VersionedMessage, { writable }: LookupAddresses, added: InstructionLike[]) {
  const uses = new Map<string, Use>();
  for (const [i, key] of message.staticAccountKeys.entries()) {
    uses.set(key.toBase58(), { signer: message.isAccountSigner(i), writable: message.isAccountWritable(i) });
  }
  const use = (key: string, signer: boolean, writes: boolean) => {
    const known = uses.get(key) ?? { signer: false, writable: writable.has(key) };
    uses.set(key, { signer: known.signer || signer, writable: known.writable || writes });
  };
  for (const { programId, accounts } of added) {
    for (const { pubkey, isSigner, isWritable } of accounts) use(pubkey, isSigner, isWritable);
    use(programId, false, false);
  }
  return uses;
}

/** Sorts accounts as a message requires: signers first, and writable before readonly. The payer stays first. */
function inOrder(uses: Map<string, Use>): string[] {
  const rank = ({ signer, writable }: Use) => (signer ? 0 : 2) + (writable ? 0 : 1);
  return [...uses].sort(([, a], [, b]) => rank(a) - rank(b)).map(([key]) => key);
}

/** Drops lookup tables that no longer supply an address. The network rejects a message with an empty lookup. */
function lookupsWithout(
  lookups: MessageAddressTableLookup[],
  { at }: LookupAddresses,
  stillLoaded: (key: string) => boolean,
): MessageAddressTableLookup[] {
  return lookups
    .map(({ accountKey, ...indexes }) => {
      const left = (list: number[]) => list.filter((index) => stillLoaded(at(accountKey, index)));
      const [writableIndexes, readonlyIndexes] = [left(indexes.writableIndexes), left(indexes.readonlyIndexes)];
      return { accountKey, writableIndexes, readonlyIndexes };
    })
    .filter(({ writableIndexes, readonlyIndexes }) => writableIndexes.length + readonlyIndexes.length > 0);
}

interface TransactionParts {
  uses: Map<string, Use>;
  keys: string[];
  instructions: Instructions;
  lookups: MessageAddressTableLookup[];
}

function compose(
  { version, recentBlockhash }: VersionedMessage,
  { uses, keys, instructions, lookups }: TransactionParts,
): string {
  const count = (wanted: (use: Use) => boolean) => [...uses.values()].filter(wanted).length;
  const header = {
    numRequiredSignatures: count(({ signer }) => signer),
    numReadonlySignedAccounts: count(({ signer, writable }) => signer && !writable),
    numReadonlyUnsignedAccounts: count(({ signer, writable }) => !signer && !writable),
  };
  const overrun =
    sizeOf(version, header.numRequiredSignatures, { keys, instructions, lookups }) - MAX_TRANSACTION_BYTES;
  if (overrun > 0) {
    throw new CannotAttach(
      `With the round-up the transaction would be ${overrun} bytes over the ${MAX_TRANSACTION_BYTES} that the network takes.`,
      overrun,
    );
  }
  const accountKeys = keys.map((key) => new PublicKey(key));
  const message =
    version === "legacy"
      ? new Message({
          header,
          accountKeys,
          recentBlockhash,
          instructions: instructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
            programIdIndex,
            accounts: accountKeyIndexes,
            data: bs58.encode(data),
          })),
        })
      : new MessageV0({
          header,
          staticAccountKeys: accountKeys,
          recentBlockhash,
          compiledInstructions: instructions,
          addressTableLookups: lookups,
        });
  return toBase64(new VersionedTransaction(message).serialize());
}

/** Returns the serialized size of the transaction in bytes. A length prefix takes one byte for each seven bits. */
function sizeOf(
  version: VersionedMessage["version"],
  signatures: number,
  { keys, instructions, lookups }: Omit<TransactionParts, "uses">,
): number {
  const counted = (length: number) => (length < 0x80 ? 1 : 2) + length;
  const list = (sizes: number[]) => sizes.reduce((sum, size) => sum + size, counted(sizes.length) - sizes.length);
  const body = list(
    instructions.map(({ accountKeyIndexes, data }) => 1 + counted(accountKeyIndexes.length) + counted(data.length)),
  );
  const tables = list(
    lookups.map((one) => 32 + counted(one.writableIndexes.length) + counted(one.readonlyIndexes.length)),
  );
  const fixed = list(Array(signatures).fill(64)) + 3 + list(keys.map(() => 32)) + 32;
  return fixed + body + (version === "legacy" ? 0 : 1 + tables);
}
