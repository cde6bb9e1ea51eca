import bs58 from "bs58";
import { z } from "zod";
import type { TokenBalance, TransactionFigures, UnsupportedTransaction } from "../../domain/activity";
import { type AccountOwner, toTokenMovements } from "../../domain/movements";
import { readInstructionMarks } from "../../domain/read-marks";
import type { Json } from "../../ports/json";
import type { HistoryEntry, HistoryPageRequest } from "../../ports/solana-rpc";
import { COMMITMENT } from "../../solana/commitment";
import type { DecodedInstruction } from "../../solana/instructions";
import { MEMO_PROGRAM, STAKE_PROGRAM, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../solana/programs";
import { MISSING_TRANSACTION_RPC_CODES, UNSUPPORTED_TRANSACTION_VERSION } from "../../solana/rpc-error-codes";
import { readCreation, readMovement } from "../../solana/system-instructions";
import { readTokenMovements } from "../../solana/token-instructions";
import { U64 } from "./accounts";
import { createInvalidError, createResultReader, type JsonRpc, RuntimeError } from "./json-rpc";

/** The size limit of a page. Its 1,000 entries take about 400 bytes each, memos included. */
const SIGNATURES_MAX_BYTES = 4_194_304;
/** The size limit of an answer with one transaction. A transaction of 4,096 bytes with logs and balances takes less. */
const TRANSACTION_MAX_BYTES = 2_097_152;
/** Version 1 is the newest transaction format. A node refuses to return newer versions than the request allows. */
const NEWEST_VERSION = 1;

const SignaturesAnswer = z.array(
  z.object({
    signature: z.string().min(64).max(88),
    slot: z.number().int().nonnegative(),
    err: RuntimeError,
    // The last second that a Date can represent.
    blockTime: z.number().int().nonnegative().max(8_640_000_000_000).nullish(),
    memo: z.string().nullish(),
  }),
);

const TokenBalances = z
  .array(
    z.object({
      accountIndex: z.number().int().nonnegative(),
      mint: z.string(),
      owner: z.string().nullish(),
      uiTokenAmount: z.object({
        amount: z.string().regex(/^\d{1,20}$/),
        decimals: z.number().int().min(0).max(255),
      }),
    }),
  )
  .nullish();

const Instructions = z
  .array(z.object({ programIdIndex: z.number(), accounts: z.array(z.number()), data: z.string() }))
  .nullish();

export const TransactionAnswer = z
  .object({
    slot: z.number().int().nonnegative().nullish(),
    transaction: z.object({
      message: z.object({
        accountKeys: z.array(z.string()).min(1),
        // Absent: only the fee payer is known to have signed.
        header: z.object({ numRequiredSignatures: z.number().int().min(1) }).nullish(),
        // Optional: a newer format may put them elsewhere. The balances still show what happened.
        instructions: Instructions,
      }),
    }),
    meta: z
      .object({
        fee: U64,
        preBalances: z.array(U64),
        postBalances: z.array(U64),
        preTokenBalances: TokenBalances,
        postTokenBalances: TokenBalances,
        innerInstructions: z.array(z.object({ instructions: Instructions })).nullish(),
        loadedAddresses: z.object({ writable: z.array(z.string()), readonly: z.array(z.string()) }).nullish(),
      })
      .nullable(),
  })
  .nullable();
export type TransactionAnswer = z.output<typeof TransactionAnswer>;

export async function readSignatures(rpc: JsonRpc, address: string, page: HistoryPageRequest): Promise<HistoryEntry[]> {
  const { limit, before, until, minSlot } = page;
  const params = [address, { limit, before, until, commitment: COMMITMENT, minContextSlot: minSlot || undefined }];
  const callOptions = { maxBytes: SIGNATURES_MAX_BYTES };
  const entries = await rpc.call("getSignaturesForAddress", params, SignaturesAnswer, callOptions);
  if (entries.length > limit) throw createInvalidError("returned more signatures than requested");
  return entries.map(({ signature, slot, err, blockTime, memo }) => {
    return { signature, slot, blockTime: blockTime ?? null, error: err as Json, memo: memo ?? null };
  });
}

/** Asks every node, because one may lack a single transaction. Null when none has it. @throws AppError upstream_* */
export async function readTransactionAnswer(
  rpc: JsonRpc,
  signature: string,
): Promise<TransactionAnswer | UnsupportedTransaction> {
  const options = { encoding: "json", commitment: COMMITMENT, maxSupportedTransactionVersion: NEWEST_VERSION };
  const readResult = createResultReader("getTransaction", TransactionAnswer);
  return rpc.ask<TransactionAnswer | UnsupportedTransaction>("getTransaction", [signature, options], {
    maxBytes: TRANSACTION_MAX_BYTES,
    read(answer) {
      const errorCode = answer.error?.code ?? 0;
      if (errorCode === UNSUPPORTED_TRANSACTION_VERSION) return "unsupported";
      return MISSING_TRANSACTION_RPC_CODES.has(errorCode) ? null : readResult(answer);
    },
    isConclusive: (answer) => answer !== null,
  });
}

/** The figures of a transaction that has not run. It has changed no balance. */
const NO_EFFECTS = {
  preBalances: [],
  postBalances: [],
  preTokenBalances: [],
  postTokenBalances: [],
  movements: [],
  innerMovements: [],
  tokenMovements: [],
  createdAccounts: [],
  signers: [],
  stakedAccounts: [],
  programs: [],
  marks: [],
};

/**
 * Returns null when the node has pruned the transaction or has no balances for it. A block may include a transaction
 * whose payer could not pay. It is charged no fee and has not run, so its figures have no effects and no signers
 * (SIMD-0290). @throws AppError upstream_invalid
 */
export function toTransactionFigures(
  answer: TransactionAnswer | UnsupportedTransaction,
): TransactionFigures | UnsupportedTransaction | null {
  if (answer === "unsupported") return answer;
  if (!answer?.meta) return null;
  const { fee, preBalances, postBalances, preTokenBalances, postTokenBalances, loadedAddresses } = answer.meta;
  const { writable = [], readonly = [] } = loadedAddresses ?? {};
  const accountKeys = [...answer.transaction.message.accountKeys, ...writable, ...readonly];
  const feeLamports = BigInt(fee);
  const position = answer.slot == null ? {} : { slot: answer.slot };
  if (feeLamports === 0n) return { accountKeys, feeLamports, ...position, ...NO_EFFECTS };
  if (preBalances.length !== accountKeys.length || postBalances.length !== accountKeys.length) {
    throw createInvalidError("returned the wrong number of balances");
  }
  const tokenBalances = {
    preTokenBalances: toTokenBalances(preTokenBalances),
    postTokenBalances: toTokenBalances(postTokenBalances),
  };
  return {
    accountKeys,
    feeLamports,
    ...position,
    preBalances: preBalances.map(BigInt),
    postBalances: postBalances.map(BigInt),
    ...tokenBalances,
    ...readInstructions(answer, accountKeys, tokenBalances),
  };
}

const DECODED_PROGRAMS = [SYSTEM_PROGRAM, MEMO_PROGRAM, TOKEN_PROGRAM, TOKEN_2022_PROGRAM];

/** Returns what the transaction's instructions do. @param balances show who owns the token accounts */
function readInstructions(
  { transaction: { message }, meta }: NonNullable<TransactionAnswer>,
  accountKeys: string[],
  balances: Pick<TransactionFigures, "preTokenBalances" | "postTokenBalances">,
) {
  const findAccount = (address: string): AccountOwner | null => {
    const isOf = ({ accountIndex, owner }: TokenBalance) => owner !== null && accountKeys[accountIndex] === address;
    const before = balances.preTokenBalances.find(isOf);
    const balance = before ?? balances.postTokenBalances.find(isOf);
    return balance ? { owner: balance.owner!, mint: balance.mint, isNew: !before } : null;
  };
  const outerInstructions = toInstructions(message.instructions, accountKeys);
  const innerInstructions = (meta?.innerInstructions ?? []).flatMap(({ instructions }) =>
    toInstructions(instructions, accountKeys),
  );
  const allInstructions = [...outerInstructions, ...innerInstructions];
  return {
    movements: [
      ...toMovements(outerInstructions),
      ...toTokenMovements(outerInstructions.flatMap(readTokenMovements), findAccount),
    ],
    innerMovements: toMovements(innerInstructions),
    tokenMovements: allInstructions.flatMap(readTokenMovements),
    createdAccounts: selectSystemInstructions(allInstructions).flatMap(
      ({ accounts, data }) => readCreation(data, accounts) ?? [],
    ),
    signers: accountKeys.slice(0, message.header?.numRequiredSignatures ?? 1),
    stakedAccounts: allInstructions.flatMap(({ program, accounts }) =>
      program === STAKE_PROGRAM ? accounts.flatMap((key) => key ?? []) : [],
    ),
    programs: [...new Set(allInstructions.map(({ program }) => program))],
    marks: readInstructionMarks(outerInstructions),
  };
}

function toInstructions(answer: z.output<typeof Instructions>, accountKeys: string[]): DecodedInstruction[] {
  return (answer ?? []).map(({ programIdIndex, accounts, data }) => ({
    program: accountKeys[programIdIndex] ?? "",
    accounts: accounts.map((index) => accountKeys[index] ?? null),
    // Decode only the data that is used: base58 is slow to decode.
    data: DECODED_PROGRAMS.includes(accountKeys[programIdIndex] ?? "") ? decodeData(data) : new Uint8Array(),
  }));
}

const selectSystemInstructions = (instructions: DecodedInstruction[]) =>
  instructions.filter(({ program }) => program === SYSTEM_PROGRAM);

const toMovements = (instructions: DecodedInstruction[]): TransactionFigures["innerMovements"] =>
  selectSystemInstructions(instructions).flatMap(({ accounts, data }) => readMovement(data, accounts) ?? []);

function decodeData(base58: string): Uint8Array {
  const bytes = bs58.decodeUnsafe(base58);
  if (!bytes) throw createInvalidError("returned instruction data that is not base58");
  return bytes;
}

function toTokenBalances(answer: z.output<typeof TokenBalances>): TransactionFigures["preTokenBalances"] {
  return (answer ?? []).map(({ accountIndex, mint, owner, uiTokenAmount: { amount, decimals } }) => {
    return { accountIndex, mint, owner: owner ?? null, amount: BigInt(amount), decimals };
  });
}
