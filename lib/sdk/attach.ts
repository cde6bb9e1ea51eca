import {
  AddressLookupTableAccount,
  PublicKey,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { computeDefaultUnits, computeMaxUnits } from "../solana/budget";
import { fromBase64, toBase64 } from "../solana/bytes";
import { buildSetComputeUnitLimit, MAX_COMPUTE_UNITS, readUnitLimit } from "../solana/compute-budget";
import type { DecodedInstruction, InstructionLike } from "../solana/instructions";
import { MAX_TRANSACTION_BYTES } from "../solana/message-v0";
import {
  ED25519_PROGRAM,
  MEMO_PROGRAM,
  SECP256K1_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from "../solana/programs";
import { isSystemTransfer } from "../solana/system-instructions";
import { decodeTransaction, isVersion1, TransactionFault } from "../solana/transactions";
import { CannotAttach } from "./errors";
import { type RequestedWrap, verifyWrapInstructions } from "./verify/wrap";

type Message = VersionedTransaction["message"];

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
  tables: readonly AddressLookupTableAccount[] = [],
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
  tables: readonly AddressLookupTableAccount[] = [],
  computeUnits = MAX_COMPUTE_UNITS,
): string {
  const message = readMessage(transaction);
  if (addedInstructions.length === 0) return transaction;
  const { payerKey, recentBlockhash, instructions } = decompileMessage(message, tables);
  const appInstructions = instructions.map(({ programId, keys, data }) => ({
    program: programId.toBase58(),
    accounts: keys.map(({ pubkey }) => pubkey.toBase58()),
    data,
  }));
  const addedUnits = Math.min(computeUnits, computeMaxUnits(addedInstructions.map(({ programId }) => programId)));
  for (const instruction of instructions) raiseUnitLimit(instruction, addedUnits);
  const insertedInstructions = [...buildMissingLimit(appInstructions, addedUnits), ...addedInstructions];
  const position = findPosition(appInstructions);
  const extended = new TransactionMessage({
    payerKey,
    recentBlockhash,
    instructions: instructions.toSpliced(position, 0, ...insertedInstructions.map(toWeb3)),
  });
  return encodeTransaction(
    message.version === "legacy"
      ? extended.compileToLegacyMessage()
      : extended.compileToV0Message(selectLoaded(message, tables, addedInstructions)),
  );
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

function raiseUnitLimit(instruction: TransactionInstruction, addedUnits: number): void {
  const limit = readUnitLimit({ program: instruction.programId.toBase58(), data: instruction.data });
  if (limit === null || limit >= MAX_COMPUTE_UNITS) return;
  const raisedLimit = buildSetComputeUnitLimit(Math.min(limit + addedUnits, MAX_COMPUTE_UNITS));
  instruction.data = toWeb3(raisedLimit).data;
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

function readMessage(transaction: string): Message {
  const bytes = fromBase64(transaction) ?? throwRefusal("The transaction is not base64.");
  if (isVersion1(bytes))
    throwRefusal("A saving cannot be attached to a version 1 transaction. Build a legacy or v0 transaction.");
  try {
    return decodeTransaction(bytes).decoded.message;
  } catch (error) {
    if (error instanceof TransactionFault) throw new CannotAttach(error.message);
    throw error;
  }
}

function decompileMessage(message: Message, tables: readonly AddressLookupTableAccount[]): TransactionMessage {
  try {
    return TransactionMessage.decompile(message, { addressLookupTableAccounts: [...tables] });
  } catch (error) {
    // The message of web3.js names the lookup table.
    return throwRefusal(
      `The content of each lookup table that the transaction uses is needed: ${(error as Error).message}`,
    );
  }
}

const toWeb3 = ({ programId, accounts, data }: InstructionLike) =>
  new TransactionInstruction({
    programId: new PublicKey(programId),
    keys: accounts.map(({ pubkey, ...use }) => ({ ...use, pubkey: new PublicKey(pubkey) })),
    data: (fromBase64(data) ?? throwRefusal("An instruction's data is not base64.")) as TransactionInstruction["data"],
  });

/** An entry of a lookup table that is no address. */
const HIDDEN_ADDRESS = { equals: () => false } as unknown as PublicKey;

/** Returns the tables with what the app loads from them, but without the accounts of a saving: the message shows those. */
function selectLoaded(
  { addressTableLookups }: Message,
  tables: readonly AddressLookupTableAccount[],
  addedInstructions: InstructionLike[],
): AddressLookupTableAccount[] {
  const shownKeys = new Set(addedInstructions.flatMap(({ accounts }) => accounts.map(({ pubkey }) => pubkey)));
  return addressTableLookups.map(({ accountKey: key, writableIndexes, readonlyIndexes }) => {
    const { state } = tables.find((table) => table.key.equals(key))!;
    const loadedIndexes = new Set([...writableIndexes, ...readonlyIndexes]);
    const addresses = state.addresses.map((address, i) =>
      loadedIndexes.has(i) && !shownKeys.has(address.toBase58()) ? address : HIDDEN_ADDRESS,
    );
    return new AddressLookupTableAccount({ key, state: { ...state, addresses } });
  });
}

/** Encodes the transaction with zeroed signatures, in base64. @throws {CannotAttach} over 1,232 bytes */
function encodeTransaction(message: Message): string {
  const overrunBytes = measureTransaction(message) - MAX_TRANSACTION_BYTES;
  if (overrunBytes <= 0) return toBase64(new VersionedTransaction(message).serialize());
  throw new CannotAttach(
    `With the saving the transaction would be ${overrunBytes} bytes over the ${MAX_TRANSACTION_BYTES} that the network takes.`,
    overrunBytes,
  );
}

/** Returns the size of a transaction in bytes. web3.js encodes none that is too long. */
function measureTransaction(message: Message): number {
  const { header, staticAccountKeys, compiledInstructions, addressTableLookups, version } = message;
  // Each list begins with its length, in the network's compact-u16 format.
  const measureList = (itemCount: number, bytes = itemCount) => (itemCount < 0x80 ? 1 : 2) + bytes;
  const sumBytes = <Item>(items: Item[], measure: (item: Item) => number) =>
    measureList(
      items.length,
      items.map(measure).reduce((sum, bytes) => sum + bytes, 0),
    );
  const signatureBytes = measureList(header.numRequiredSignatures, 64 * header.numRequiredSignatures);
  const instructionBytes = sumBytes(
    compiledInstructions,
    ({ accountKeyIndexes, data }) => 1 + measureList(accountKeyIndexes.length) + measureList(data.length),
  );
  const lookupBytes = sumBytes(
    addressTableLookups,
    ({ writableIndexes, readonlyIndexes }) =>
      32 + measureList(writableIndexes.length) + measureList(readonlyIndexes.length),
  );
  const fixedBytes = 3 + sumBytes(staticAccountKeys, () => 32) + 32;
  return signatureBytes + fixedBytes + instructionBytes + (version === "legacy" ? 0 : 1 + lookupBytes);
}
