import { type VersionedMessage, VersionedTransaction } from "@solana/web3.js";
import bs58 from "bs58";
import {
  type InnerInstructions,
  type Json,
  RPC_CODES,
  RpcError,
  refuseParams,
  type TokenBalance,
  type TransactionRecord,
} from "../chain/types";
import { encodeTokenAmount } from "./account-json";
import { type Config, parseWholeNumber } from "./params";

/* Encodes recorded transactions as JSON like a cluster's RPC. */

export type TransactionEncoding = "json" | "jsonParsed" | "base64" | "base58";

/** Reads the transaction encoding from the config. @throws RpcError -32602 */
export function parseTransactionEncoding(config: Config): TransactionEncoding {
  const encoding = config.encoding ?? "json";
  if (encoding === "json" || encoding === "jsonParsed" || encoding === "base64" || encoding === "base58") {
    return encoding;
  }
  return refuseParams(`Invalid params: unknown encoding ${JSON.stringify(encoding)}`);
}

/** Reads the newest transaction version that the client understands; null for legacy only. @throws RpcError -32602 */
export function parseVersionLimit({ maxSupportedTransactionVersion: limit }: Config): number | null {
  return limit === undefined || limit === null
    ? null
    : parseWholeNumber(limit, "maxSupportedTransactionVersion", 0, 255);
}

/** Encodes token balances with their amounts in the three forms clients read. */
export function encodeBalances(balances: TokenBalance[]): Json {
  return balances.map(({ accountIndex, mint, owner, programId, amount, decimals }) => ({
    accountIndex,
    mint,
    owner,
    programId,
    uiTokenAmount: encodeTokenAmount(BigInt(amount), decimals),
  }));
}

type Instruction = InnerInstructions["instructions"][number];

/** Encodes an instruction with addresses instead of indexes. */
const encodeParsedInstruction = (
  { programIdIndex, accounts, data, stackHeight }: Instruction,
  keys: string[],
): Json => ({
  programId: keys[programIdIndex]!,
  accounts: accounts.map((account) => keys[account]!),
  data,
  stackHeight,
});

/** Returns the outer instructions of a message in the form of inner ones. */
const listInstructions = ({ compiledInstructions }: VersionedMessage): Instruction[] =>
  compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
    programIdIndex,
    accounts: accountKeyIndexes,
    data: bs58.encode(data),
    stackHeight: 1,
  }));

/** Encodes inner instructions with addresses instead of indexes, for simulations and parsed transactions. */
export function encodeInnerInstructions(groups: InnerInstructions[], keys: string[]): Json {
  return groups.map(({ index, instructions }) => ({
    index,
    instructions: instructions.map((instruction) => encodeParsedInstruction(instruction, keys)),
  }));
}

function encodeMetadata(record: TransactionRecord, isParsed: boolean): Json {
  const { err, fee, logs, preBalances, postBalances, unitsConsumed, loadedAddresses, returnData } = record;
  return {
    err,
    status: err === null ? { Ok: null } : { Err: err },
    fee,
    preBalances,
    postBalances,
    preTokenBalances: encodeBalances(record.preTokenBalances),
    postTokenBalances: encodeBalances(record.postTokenBalances),
    innerInstructions: isParsed
      ? encodeInnerInstructions(record.innerInstructions, record.accountKeys)
      : record.innerInstructions,
    logMessages: logs,
    rewards: [],
    computeUnitsConsumed: unitsConsumed,
    ...(isParsed ? {} : { loadedAddresses }),
    ...(returnData ? { returnData } : {}),
  };
}

/** Encodes the members that only some versions have. */
function encodeVersionMembers(message: VersionedMessage): { [key: string]: Json } {
  if (message.version === 1) return { transactionConfig: { ...message.transactionConfig } };
  if (message.version !== 0) return {};
  return {
    addressTableLookups: message.addressTableLookups.map((lookup) => ({
      accountKey: lookup.accountKey.toBase58(),
      writableIndexes: lookup.writableIndexes,
      readonlyIndexes: lookup.readonlyIndexes,
    })),
  };
}

function encodePlainMessage(message: VersionedMessage): Json {
  return {
    header: { ...message.header },
    accountKeys: message.staticAccountKeys.map((key) => key.toBase58()),
    recentBlockhash: message.recentBlockhash,
    instructions: listInstructions(message),
    ...encodeVersionMembers(message),
  };
}

/** Encodes a message as jsonParsed, with undecoded instructions. A node does the same for programs it does not know. */
function encodeParsedMessage(message: VersionedMessage, record: TransactionRecord): Json {
  const keys = record.accountKeys;
  const staticCount = message.staticAccountKeys.length;
  const writableEnd = staticCount + record.loadedAddresses.writable.length;
  return {
    accountKeys: keys.map((pubkey, index) => ({
      pubkey,
      signer: message.isAccountSigner(index),
      writable: index < staticCount ? message.isAccountWritable(index) : index < writableEnd,
      source: index < staticCount ? "transaction" : "lookupTable",
    })),
    recentBlockhash: message.recentBlockhash,
    instructions: listInstructions(message).map((instruction) => encodeParsedInstruction(instruction, keys)),
    ...encodeVersionMembers(message),
  };
}

function encodeBody(record: TransactionRecord, encoding: TransactionEncoding): Json {
  if (encoding === "base64") return [record.raw, "base64"];
  const wireBytes = Buffer.from(record.raw, "base64");
  if (encoding === "base58") return [bs58.encode(wireBytes), "base58"];
  const { message, signatures } = VersionedTransaction.deserialize(wireBytes);
  return {
    signatures: signatures.map((signature) => bs58.encode(signature)),
    message: encoding === "json" ? encodePlainMessage(message) : encodeParsedMessage(message, record),
  };
}

/**
 * Encodes a recorded transaction.
 * @param versionLimit newest version that the client understands; null omits the version, for clients that know only legacy
 * @throws RpcError -32015 for a newer version
 */
export function encodeTransaction(
  record: TransactionRecord,
  encoding: TransactionEncoding,
  versionLimit: number | null,
): { [key: string]: Json } {
  const { version } = VersionedTransaction.deserialize(Buffer.from(record.raw, "base64"));
  if (version !== "legacy" && version > (versionLimit ?? -1)) {
    throw new RpcError(
      RPC_CODES.unsupportedTransactionVersion,
      `Transaction version (${version}) is not supported by the requesting client. Please try the request again with ` +
        `the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
    );
  }
  return {
    slot: record.slot,
    blockTime: record.blockTime,
    transaction: encodeBody(record, encoding),
    meta: encodeMetadata(record, encoding === "jsonParsed"),
    ...(versionLimit === null ? {} : { version }),
  };
}
