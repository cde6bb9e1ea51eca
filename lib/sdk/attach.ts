import { computeDefaultUnits, computeMaxUnits } from "../solana/budget";
import { fromBase64, toBase64 } from "../solana/bytes";
import { buildSetComputeUnitLimit, MAX_COMPUTE_UNITS, readUnitLimit } from "../solana/compute-budget";
import type { DecodedInstruction, InstructionLike } from "../solana/instructions";
import { decodeAddress, MAX_TRANSACTION_BYTES, VERSION_0 } from "../solana/message-v0";
import {
  ED25519_PROGRAM,
  MEMO_PROGRAM,
  SECP256K1_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from "../solana/programs";
import { readInstructions } from "../solana/read-transaction";
import { isSystemTransfer } from "../solana/system-instructions";
import { decodeTransaction, isVersion1, type SignedTransaction, TransactionFault } from "../solana/transactions";
import { CannotAttach } from "./errors";
import { type RequestedWrap, verifyWrapInstructions } from "./verify/wrap";

interface AccountUse {
  isSigner: boolean;
  isWritable: boolean;
}

type Message = SignedTransaction["decoded"]["message"];
type Lookup = Message["addressTableLookups"][number];

interface PublicKeyLike {
  toBase58(): string;
}

/** A lookup table, as `Connection.getAddressLookupTable` of web3.js returns it. */
interface LookupTable {
  key: PublicKeyLike;
  state: { addresses: PublicKeyLike[] };
}

/**
 * Verifies that a saving is the requested one and nothing else, and adds it with `addInstructions`.
 * @param wrap the response of POST /api/wrap or /api/wrap/batch; a skipped saving leaves the transaction unchanged
 * @param request the user's own inputs; never copy them from the response
 * @throws {NotAsShown | CannotAttach}
 */
export function attach(
  transaction: string,
  wrap: Parameters<typeof verifyWrapInstructions>[0] & { computeUnits: number },
  request: RequestedWrap,
  tables: readonly LookupTable[] = [],
): string {
  if (wrap.instructions.length > 0) verifyWrapInstructions(wrap, request);
  return addInstructions(transaction, wrap.instructions, tables, wrap.computeUnits);
}

/**
 * Adds unverified instructions to an app's own transaction (base64, legacy or v0), which stays the same otherwise. They go
 * to the end, but before a last payment and its memo, as Solana Pay's `validateTransfer` demands. The unit limit is raised
 * by `computeUnits`, and with it the priority fee. The result is unsigned. @param tables those that it uses
 * @throws {CannotAttach} over 1,232 bytes, when a lookup table is missing, or when the input is not a transaction
 */
export function addInstructions(
  transaction: string,
  addedInstructions: InstructionLike[],
  tables: readonly LookupTable[] = [],
  computeUnits = MAX_COMPUTE_UNITS,
): string {
  const { message } = readBase64Transaction(transaction);
  if (addedInstructions.length === 0) return transaction;
  const loadedAddresses = readLoadedAddresses(message, tables);
  const oldKeys = [...message.staticAccountKeys.map((key) => key.toBase58()), ...loadedAddresses.addresses];
  const appInstructions = readInstructions(message, oldKeys);
  const addedUnits = Math.min(computeUnits, computeMaxUnits(addedInstructions.map(({ programId }) => programId)));
  const insertedInstructions = [...buildMissingLimit(appInstructions, addedUnits), ...addedInstructions];
  const uses = mergeUses(message, loadedAddresses, insertedInstructions);
  const staticKeys = orderAccounts(uses);
  const isStillLoaded = (key: string) => !uses.has(key);
  const lookups = removeFromLookups(message.addressTableLookups, loadedAddresses, isStillLoaded);
  const newKeys = [...staticKeys, ...loadedAddresses.addresses.filter(isStillLoaded)];
  const newIndexes = new Map(newKeys.map((key, i) => [key, i]));

  const movedInstructions = message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
    programIdIndex: newIndexes.get(oldKeys[programIdIndex]!)!,
    accountKeyIndexes: accountKeyIndexes.map((index) => newIndexes.get(oldKeys[index]!)!),
    data: raiseUnitLimit(oldKeys[programIdIndex]!, data, addedUnits),
  }));
  const ownInstructions = insertedInstructions.map(({ programId, accounts, data }) => ({
    programIdIndex: newIndexes.get(programId)!,
    accountKeyIndexes: accounts.map(({ pubkey }) => newIndexes.get(pubkey)!),
    data: fromBase64(data) ?? throwRefusal("An instruction's data is not base64."),
  }));
  const position = findPosition(appInstructions);
  const instructions = movedInstructions.toSpliced(position, 0, ...ownInstructions);
  return encodeTransaction(message, uses, staticKeys, instructions, lookups);
}

/** Programs that read other instructions of a transaction by their index. */
const SIGNATURE_PROGRAMS = new Set([ED25519_PROGRAM, SECP256K1_PROGRAM, "Secp256r1SigVerify1111111111111111111111111"]);
/** The account through which a program reads the instructions of its transaction. */
const INSTRUCTIONS_SYSVAR = "Sysvar1nstructions1111111111111111111111111";
/** Transfer, TransferChecked and TransferCheckedWithFee of both token programs. Source: `TokenInstruction`, spl-token. */
const TOKEN_TRANSFER_TAGS = new Set([3, 12, 26]);

const isPayment = (instruction: DecodedInstruction | undefined) =>
  instruction !== undefined &&
  (isSystemTransfer(instruction) ||
    ([TOKEN_PROGRAM, TOKEN_2022_PROGRAM].includes(instruction.program) &&
      TOKEN_TRANSFER_TAGS.has(instruction.data[0]!)));

/**
 * Returns where a saving goes: before a payment (and its memo) that ends the transaction, so that what funds the payment
 * stays first. Otherwise, and where an instruction reads others by their index, it goes to the end.
 */
function findPosition(instructions: readonly DecodedInstruction[]): number {
  const readsByIndex = instructions.some(
    ({ program, accounts }) => SIGNATURE_PROGRAMS.has(program) || accounts.includes(INSTRUCTIONS_SYSVAR),
  );
  if (readsByIndex || !isPayment(instructions.at(-1))) return instructions.length;
  return instructions.length - (instructions.at(-2)?.program === MEMO_PROGRAM ? 2 : 1);
}

function raiseUnitLimit(program: string, data: Uint8Array, addedUnits: number): Uint8Array {
  const limit = readUnitLimit({ program, data });
  if (limit === null || limit >= MAX_COMPUTE_UNITS) return data;
  return fromBase64(buildSetComputeUnitLimit(Math.min(limit + addedUnits, MAX_COMPUTE_UNITS)).data)!;
}

/**
 * Builds the limit of a transaction that sets none: what the network grants the app's instructions, and `addedUnits`.
 * Without it, the network would grant the saving's memo 200,000 units, and the payer's fee would grow by their price.
 */
function buildMissingLimit(appInstructions: readonly DecodedInstruction[], addedUnits: number): InstructionLike[] {
  if (appInstructions.some((instruction) => readUnitLimit(instruction) !== null)) return [];
  const units = computeDefaultUnits(appInstructions.map(({ program }) => program)) + addedUnits;
  return [buildSetComputeUnitLimit(Math.min(units, MAX_COMPUTE_UNITS))];
}

const throwRefusal = (message: string): never => {
  throw new CannotAttach(message);
};

function readBase64Transaction(transaction: string): SignedTransaction["decoded"] {
  const bytes = fromBase64(transaction) ?? throwRefusal("The transaction is not base64.");
  if (isVersion1(bytes))
    throwRefusal("A saving cannot be attached to a version 1 transaction. Build a legacy or v0 transaction.");
  try {
    return decodeTransaction(bytes).decoded;
  } catch (error) {
    if (error instanceof TransactionFault) throw new CannotAttach(error.message);
    throw error;
  }
}

type LoadedAddresses = ReturnType<typeof readLoadedAddresses>;

/** Lists loaded addresses in index order: the writable ones of all tables first. @throws {CannotAttach} without a table */
function readLoadedAddresses({ addressTableLookups }: Message, tables: readonly LookupTable[]) {
  const findAddress = (table: PublicKeyLike, index: number) => {
    const tableAddress = table.toBase58();
    const address = tables.find(({ key }) => key.toBase58() === tableAddress)?.state.addresses[index];
    return (
      address?.toBase58() ??
      throwRefusal(`The transaction uses the lookup table ${tableAddress}: its content is needed.`)
    );
  };
  const listAddresses = (indexesName: "writableIndexes" | "readonlyIndexes") =>
    addressTableLookups.flatMap((lookup) => lookup[indexesName].map((index) => findAddress(lookup.accountKey, index)));
  const writable = listAddresses("writableIndexes");
  const addresses = [...writable, ...listAddresses("readonlyIndexes")];
  return { addresses, writableAddresses: new Set(writable), findAddress };
}

/** An account is a signer or writable if the app or the saving requires it. */
function mergeUses(message: Message, loadedAddresses: LoadedAddresses, addedInstructions: InstructionLike[]) {
  const uses = new Map<string, AccountUse>();
  for (const [i, key] of message.staticAccountKeys.entries()) {
    uses.set(key.toBase58(), { isSigner: message.isAccountSigner(i), isWritable: message.isAccountWritable(i) });
  }
  const addUse = (key: string, isSigner: boolean, isWritable: boolean) => {
    const knownUse = uses.get(key) ?? { isSigner: false, isWritable: loadedAddresses.writableAddresses.has(key) };
    uses.set(key, { isSigner: knownUse.isSigner || isSigner, isWritable: knownUse.isWritable || isWritable });
  };
  for (const { programId, accounts } of addedInstructions) {
    for (const { pubkey, isSigner, isWritable } of accounts) addUse(pubkey, isSigner, isWritable);
    addUse(programId, false, false);
  }
  return uses;
}

/** Sorts accounts as a message requires: signers first, and writable before readonly. The payer stays first. */
function orderAccounts(uses: Map<string, AccountUse>): string[] {
  const computeRank = ({ isSigner, isWritable }: AccountUse) => (isSigner ? 0 : 2) + (isWritable ? 0 : 1);
  return [...uses].sort(([, left], [, right]) => computeRank(left) - computeRank(right)).map(([key]) => key);
}

/** Drops lookup tables that no longer supply an address. The network rejects a message with an empty lookup. */
function removeFromLookups(
  lookups: Lookup[],
  { findAddress }: LoadedAddresses,
  isStillLoaded: (key: string) => boolean,
): Lookup[] {
  return lookups.flatMap(({ accountKey, ...indexes }) => {
    const selectLoaded = (allIndexes: number[]) =>
      allIndexes.filter((index) => isStillLoaded(findAddress(accountKey, index)));
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
  staticKeys: string[],
  instructions: Message["compiledInstructions"],
  lookups: Lookup[],
): string {
  const countUses = (matches: (use: AccountUse) => boolean) => [...uses.values()].filter(matches).length;
  const signerCount = countUses(({ isSigner }) => isSigner);
  const isLegacy = version === "legacy";
  const bytes = Uint8Array.from([
    ...encodeList(Array<number[]>(signerCount).fill(Array(64).fill(0))),
    ...(isLegacy ? [] : [VERSION_0]),
    signerCount,
    countUses(({ isSigner, isWritable }) => isSigner && !isWritable),
    countUses(({ isSigner, isWritable }) => !isSigner && !isWritable),
    ...encodeList(staticKeys.map(decodeAddress)),
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
  const overrunBytes = bytes.length - MAX_TRANSACTION_BYTES;
  if (overrunBytes <= 0) return toBase64(bytes);
  throw new CannotAttach(
    `With the saving the transaction would be ${overrunBytes} bytes over the ${MAX_TRANSACTION_BYTES} that the network takes.`,
    overrunBytes,
  );
}

/** Prefixes items with their number in the network's compact-u16 format: seven bits per byte, low bits first. */
const encodeWithLength = <Item>(items: Item[]): (Item | number)[] =>
  items.length < 0x80 ? [items.length, ...items] : [(items.length & 0x7f) | 0x80, items.length >> 7, ...items];

const encodeList = (items: ArrayLike<number>[]): number[] =>
  encodeWithLength(items).flatMap((item) => (typeof item === "number" ? item : Array.from(item)));
