import { fromBase64, toBase64 } from "../solana/bytes";
import { MAX_COMPUTE_UNITS, readUnitLimit, setComputeUnitLimit } from "../solana/compute-budget";
import type { InstructionLike } from "../solana/instructions";
import { decodeAddress, MAX_TRANSACTION_BYTES, VERSION_0 } from "../solana/message-v0";
import { estimateUnits } from "../solana/priority";
import { MEMO_PROGRAM } from "../solana/programs";
import { decodeTransaction, type SignedTransaction, TransactionFault } from "../solana/transactions";
import { CannotAttach } from "./errors";
import { type OldRequestedWrap, type RequestedWrap, verifyWrapInstructions } from "./verify/wrap";

/** Describes how the whole transaction uses an account. */
interface AccountUse {
  signer: boolean;
  writable: boolean;
}

type Message = SignedTransaction["decoded"]["message"];
type Lookup = Message["addressTableLookups"][number];

/** A public key of web3.js. */
interface PublicKeyLike {
  toBase58(): string;
}

/** A lookup table, as `Connection.getAddressLookupTable` of web3.js returns it. */
interface LookupTable {
  key: PublicKeyLike;
  state: { addresses: PublicKeyLike[] };
}

/**
 * Verifies a round-up and appends it to an app's own transaction, as `append` does. The instructions must save the
 * change of the requested purchases and do nothing else.
 * @param transaction base64
 * @param wrap the response of POST /api/wrap or /api/wrap/batch; a skipped round-up leaves the transaction unchanged
 * @param request the user's own inputs; never copy them from the response
 * @param tables the lookup tables that the transaction uses, as returned by `Connection.getAddressLookupTable`
 * @throws {NotAsShown} when the round-up differs from the request @throws {CannotAttach} as `append`
 */
export function attach(
  transaction: string,
  wrap: Parameters<typeof verifyWrapInstructions>[0],
  request: RequestedWrap | OldRequestedWrap,
  tables: readonly LookupTable[] = [],
): string {
  if (wrap.instructions.length > 0) verifyWrapInstructions(wrap, request);
  return append(transaction, wrap.instructions, tables);
}

/**
 * Appends a round-up's instructions to an app's own transaction, legacy or v0. The version, payer, blockhash,
 * instruction order, signers and lookup tables stay the same. So does the compute budget, of which each transfer needs
 * 150 units. Only a memo raises an explicit unit limit, which also raises the priority fee. The result is unsigned:
 * existing signatures cover other bytes, so they are zeroed. Every account of the round-up becomes a static account key,
 * including accounts that a lookup table held before.
 * @param transaction base64
 * @param added not verified here; an empty list returns the transaction unchanged
 * @param tables the lookup tables that the transaction uses, as returned by `Connection.getAddressLookupTable`
 * @throws {CannotAttach} over 1,232 bytes, when a lookup table is missing, or when the input is not a transaction
 */
export function append(transaction: string, added: InstructionLike[], tables: readonly LookupTable[] = []): string {
  const { message } = readBase64Transaction(transaction);
  if (added.length === 0) return transaction;
  const loaded = listLoadedAddresses(message, tables);
  const uses = mergeUses(message, loaded, added);
  const keys = orderAccounts(uses);
  const isStillLoaded = (key: string) => !uses.has(key);
  const lookups = removeFromLookups(message.addressTableLookups, loaded, isStillLoaded);
  const all = [...keys, ...loaded.addresses.filter(isStillLoaded)];
  const indexOf = new Map(all.map((key, i) => [key, i]));

  const before = [...message.staticAccountKeys.map((key) => key.toBase58()), ...loaded.addresses];
  const memoUnits = estimateUnits(added.filter(({ programId }) => programId === MEMO_PROGRAM));
  const moved = message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
    programIdIndex: indexOf.get(before[programIdIndex]!)!,
    accountKeyIndexes: accountKeyIndexes.map((index) => indexOf.get(before[index]!)!),
    data: raiseUnitLimit(before[programIdIndex]!, data, memoUnits),
  }));
  const appended = added.map(({ programId, accounts, data }) => ({
    programIdIndex: indexOf.get(programId)!,
    accountKeyIndexes: accounts.map(({ pubkey }) => indexOf.get(pubkey)!),
    data: fromBase64(data) ?? throwRefusal("An instruction's data is not base64."),
  }));
  return encodeTransaction(message, uses, keys, [...moved, ...appended], lookups);
}

/** Returns the data of an app's instruction. Raises it by `units` if it is a unit limit. */
function raiseUnitLimit(program: string, data: Uint8Array, units: number): Uint8Array {
  const limit = readUnitLimit({ program, data });
  if (limit === null || units === 0 || limit >= MAX_COMPUTE_UNITS) return data;
  return fromBase64(setComputeUnitLimit(Math.min(limit + units, MAX_COMPUTE_UNITS)).data)!;
}

const throwRefusal = (message: string): never => {
  throw new CannotAttach(message);
};

function readBase64Transaction(transaction: string): SignedTransaction["decoded"] {
  const bytes = fromBase64(transaction) ?? throwRefusal("The transaction is not base64.");
  try {
    return decodeTransaction(bytes).decoded;
  } catch (error) {
    if (error instanceof TransactionFault) throw new CannotAttach(error.message);
    throw error;
  }
}

/** The addresses that a message loads from lookup tables. */
interface LookupAddresses {
  /** In index order: the writable addresses of all tables, then the readonly ones. */
  addresses: string[];
  writable: Set<string>;
  findAddress(table: PublicKeyLike, index: number): string;
}

/** @throws {CannotAttach} when the content of a lookup table is missing */
function listLoadedAddresses({ addressTableLookups }: Message, tables: readonly LookupTable[]): LookupAddresses {
  const findAddress = (table: PublicKeyLike, index: number) => {
    const address = table.toBase58();
    const found = tables.find(({ key }) => key.toBase58() === address)?.state.addresses[index];
    return (
      found?.toBase58() ?? throwRefusal(`The transaction uses the lookup table ${address}: its content is needed.`)
    );
  };
  const listAddresses = (part: "writableIndexes" | "readonlyIndexes") =>
    addressTableLookups.flatMap((lookup) => lookup[part].map((index) => findAddress(lookup.accountKey, index)));
  const writable = listAddresses("writableIndexes");
  return { addresses: [...writable, ...listAddresses("readonlyIndexes")], writable: new Set(writable), findAddress };
}

/** Merges the flags of every static account: it is a signer, or writable, if either side requires it. */
function mergeUses(message: Message, loaded: LookupAddresses, added: InstructionLike[]) {
  const uses = new Map<string, AccountUse>();
  for (const [i, key] of message.staticAccountKeys.entries()) {
    uses.set(key.toBase58(), { signer: message.isAccountSigner(i), writable: message.isAccountWritable(i) });
  }
  const addUse = (key: string, signer: boolean, writable: boolean) => {
    const known = uses.get(key) ?? { signer: false, writable: loaded.writable.has(key) };
    uses.set(key, { signer: known.signer || signer, writable: known.writable || writable });
  };
  for (const { programId, accounts } of added) {
    for (const { pubkey, isSigner, isWritable } of accounts) addUse(pubkey, isSigner, isWritable);
    addUse(programId, false, false);
  }
  return uses;
}

/** Sorts accounts as a message requires: signers first, and writable before readonly. The payer stays first. */
function orderAccounts(uses: Map<string, AccountUse>): string[] {
  const computeRank = ({ signer, writable }: AccountUse) => (signer ? 0 : 2) + (writable ? 0 : 1);
  return [...uses].sort(([, a], [, b]) => computeRank(a) - computeRank(b)).map(([key]) => key);
}

/** Drops lookup tables that no longer supply an address. The network rejects a message with an empty lookup. */
function removeFromLookups(
  lookups: Lookup[],
  { findAddress }: LookupAddresses,
  isStillLoaded: (key: string) => boolean,
): Lookup[] {
  return lookups.flatMap(({ accountKey, ...indexes }) => {
    const selectLoaded = (list: number[]) => list.filter((index) => isStillLoaded(findAddress(accountKey, index)));
    const writableIndexes = selectLoaded(indexes.writableIndexes);
    const readonlyIndexes = selectLoaded(indexes.readonlyIndexes);
    const isEmpty = writableIndexes.length + readonlyIndexes.length === 0;
    return isEmpty ? [] : [{ accountKey, writableIndexes, readonlyIndexes }];
  });
}

/** Encodes the transaction with zeroed signatures, in base64. @throws {CannotAttach} over 1,232 bytes */
function encodeTransaction(
  { version, recentBlockhash }: Message,
  uses: Map<string, AccountUse>,
  keys: string[],
  instructions: Message["compiledInstructions"],
  lookups: Lookup[],
): string {
  const countUses = (wanted: (use: AccountUse) => boolean) => [...uses.values()].filter(wanted).length;
  const signers = countUses(({ signer }) => signer);
  const isLegacy = version === "legacy";
  const bytes = Uint8Array.from([
    ...encodeList(Array<number[]>(signers).fill(Array(64).fill(0))),
    ...(isLegacy ? [] : [VERSION_0]),
    signers,
    countUses(({ signer, writable }) => signer && !writable),
    countUses(({ signer, writable }) => !signer && !writable),
    ...encodeList(keys.map(decodeAddress)),
    ...decodeAddress(recentBlockhash),
    ...encodeList(
      instructions.map((instruction) => [
        instruction.programIdIndex,
        ...encodeWithLength(instruction.accountKeyIndexes),
        ...encodeWithLength([...instruction.data]),
      ]),
    ),
    ...(isLegacy
      ? []
      : encodeList(
          lookups.map(({ accountKey, writableIndexes, readonlyIndexes }) => [
            ...accountKey.toBytes(),
            ...encodeWithLength(writableIndexes),
            ...encodeWithLength(readonlyIndexes),
          ]),
        )),
  ]);
  const overrun = bytes.length - MAX_TRANSACTION_BYTES;
  if (overrun <= 0) return toBase64(bytes);
  throw new CannotAttach(
    `With the round-up the transaction would be ${overrun} bytes over the ${MAX_TRANSACTION_BYTES} that the network takes.`,
    overrun,
  );
}

/** Prefixes items with their number in the network's compact-u16 format: seven bits per byte, low bits first. */
const encodeWithLength = <T>(items: T[]): (T | number)[] =>
  items.length < 0x80 ? [items.length, ...items] : [(items.length & 0x7f) | 0x80, items.length >> 7, ...items];

/** Joins byte strings, with their number in front. */
const encodeList = (items: ArrayLike<number>[]): number[] =>
  encodeWithLength(items).flatMap((item) => (typeof item === "number" ? item : Array.from(item)));
