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
import { verifyWrapInstructions, type WrapAsked } from "./verify/wrap";

/** The round-up cannot be added to that transaction. */
export class CannotAttach extends Error {
  override name = "CannotAttach";
  constructor(
    message: string,
    /** How many bytes it would have too many; null when size is not the reason. */
    readonly overrunBytes: number | null = null,
  ) {
    super(message);
  }
}

/** How the transaction as a whole uses an account. */
interface Use {
  signer: boolean;
  writable: boolean;
}

type Instructions = VersionedMessage["compiledInstructions"];

/**
 * Adds a round-up to the end of an app's own transaction, as `append` does, once its instructions are found to save the
 * change of the purchases that were asked for and to do nothing else.
 * @param transaction base64
 * @param wrap what POST /api/wrap or /api/wrap/batch answered; a skipped one changes nothing
 * @param asked the person's own inputs, never the answer's
 * @param tables the lookup tables that the transaction uses, as `Connection.getAddressLookupTable` gives them
 * @throws {NotAsShown} when the round-up is not what was asked for @throws {CannotAttach} as `append`
 */
export function attach(
  transaction: string,
  wrap: Parameters<typeof verifyWrapInstructions>[0],
  asked: WrapAsked,
  tables: readonly AddressLookupTableAccount[] = [],
): string {
  if (wrap.instructions.length > 0) verifyWrapInstructions(wrap, asked);
  return append(transaction, wrap.instructions, tables);
}

/**
 * Adds a round-up's instructions to the end of an app's own transaction, legacy or v0, which stays what it is in all
 * else: version, payer, blockhash, order, compute budget (each transfer needs 150 units of it), signers, lookup tables.
 * It comes back unsigned: signatures it had are over other bytes, so they are zeroed. Every account of the round-up
 * stands in the message itself; what a lookup table held of them is moved there.
 * @param transaction base64
 * @param added not looked at here; none change nothing
 * @param tables the lookup tables that the transaction uses, as `Connection.getAddressLookupTable` gives them
 * @throws {CannotAttach} over 1,232 bytes, without a table's content, or on what is not a transaction
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
  /** In index order: what is writable in all tables, then the rest. */
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

/** Of every account that is to stand in the message: the most that either side asks for. */
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

/** Signers first, and of each what is writable first, as a message wants it; the payer stays where it is. */
function inOrder(uses: Map<string, Use>): string[] {
  const rank = ({ signer, writable }: Use) => (signer ? 0 : 2) + (writable ? 0 : 1);
  return [...uses].sort(([, a], [, b]) => rank(a) - rank(b)).map(([key]) => key);
}

/** A table that nothing is taken from any more is left out: the network refuses it. */
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

/** Bytes of the whole transaction. Lengths take a byte for each seven bits. */
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
