import { z } from "zod";
import type { TokenHolding } from "../../domain/chain-accounts";
import { AppError } from "../../errors";
import type { LeftOutEntry, TokenHoldings } from "../../ports/solana-rpc";
import { COMMITMENT } from "../../solana/commitment";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../solana/programs";
import { SCAN_ERROR } from "../../solana/rpc-error-codes";
import { readTokenAmount, TOKEN_ACCOUNT_BYTES } from "../../solana/token-accounts";
import { AnswerTooLongError } from "../http/send-request";
import { type JsonRpc, type RpcError, toRpcError } from "./json-rpc";

/** The size limit of a list: about 20,000 token accounts. Wallets flooded with worthless tokens are common. */
const MAX_LIST_BYTES = 16_777_216;

const ParsedAccountData = z.object({
  parsed: z.object({
    info: z.object({
      mint: z.string(),
      tokenAmount: z.object({
        amount: z.string().regex(/^\d{1,20}$/),
        decimals: z.number().int().min(0).max(255),
      }),
    }),
  }),
});

const AccountEntry = z.object({
  pubkey: z.string(),
  account: z.object({ owner: z.string(), data: z.union([ParsedAccountData, z.tuple([z.string(), z.string()])]) }),
});

// Entries are parsed one by one, so that a malformed account does not lose the others.
const ListAnswer = z.object({ value: z.array(z.unknown()) });

/** The number of calls that readTokenHoldings makes. */
export const HOLDINGS_CALL_COUNT = 2;

/**
 * Reads the token accounts of `owner` in both programs, in one round trip. An account that cannot be read, or a list
 * that is too long, is reported in `leftOut`.
 * @throws AppError upstream_* when the node fails otherwise
 */
export async function readTokenHoldings(rpc: JsonRpc, owner: string): Promise<TokenHoldings> {
  const programIds = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM];
  const listsByProgram = await Promise.all(programIds.map((id) => readProgramAccounts(rpc, owner, id)));
  return {
    holdings: listsByProgram.flatMap(({ holdings }) => holdings),
    leftOut: listsByProgram.flatMap(({ leftOut }) => leftOut),
  };
}

async function readProgramAccounts(rpc: JsonRpc, owner: string, programId: string): Promise<TokenHoldings> {
  const params = [owner, { programId }, { encoding: "jsonParsed", commitment: COMMITMENT }];
  try {
    const options = { maxBytes: MAX_LIST_BYTES, toAppError: toListError };
    const { value } = await rpc.call("getTokenAccountsByOwner", params, ListAnswer, options);
    const accounts = await parseEntries(value);
    return {
      holdings: accounts.flatMap((account) => (account && "mint" in account ? [account] : [])),
      leftOut: accounts.flatMap((account) => (account && "reason" in account ? [account] : [])),
    };
  } catch (error) {
    if (!(error instanceof AppError && error.details.cause instanceof AnswerTooLongError)) throw error;
    const program = programId === TOKEN_PROGRAM ? "Token" : "Token-2022";
    return { holdings: [], leftOut: [{ account: null, reason: `Its ${program} accounts are too many to be read.` }] };
  }
}

function toListError(error: RpcError): AppError {
  if (error.code !== SCAN_ERROR || !/exceeded the limit/i.test(error.message)) return toRpcError(error);
  return new AppError("upstream_invalid", { cause: new AnswerTooLongError("rpc") });
}

/** Entries parsed in one turn of the event loop: about 2 ms. */
const ENTRIES_PER_SLICE = 500;

async function parseEntries(entries: unknown[]) {
  const accounts: ReturnType<typeof parseEntry>[] = [];
  for (let startIndex = 0; startIndex < entries.length; startIndex += ENTRIES_PER_SLICE) {
    // Let other requests run between the slices.
    if (startIndex > 0) await new Promise((resolve) => setImmediate(resolve));
    for (const entry of entries.slice(startIndex, startIndex + ENTRIES_PER_SLICE)) accounts.push(parseEntry(entry));
  }
  return accounts;
}

/** Parses an entry of a node's list. Returns null for an unparsed account that holds nothing. */
function parseEntry(entry: unknown): TokenHolding | LeftOutEntry | null {
  const parsed = AccountEntry.safeParse(entry);
  if (!parsed.success) {
    const { pubkey } = (entry ?? {}) as { pubkey?: unknown };
    const account = typeof pubkey === "string" ? pubkey.slice(0, 44) : null;
    return { account, reason: "The node's answer about it could not be read." };
  }
  const { pubkey, account } = parsed.data;
  if (!("parsed" in account.data)) {
    // A node returns an account unparsed when its mint was closed; such an account holds nothing.
    const data = Buffer.from(account.data[0], "base64");
    const isEmpty = data.length >= TOKEN_ACCOUNT_BYTES && readTokenAmount(data) === 0n;
    return isEmpty ? null : { account: pubkey, reason: "Its mint cannot be read." };
  }
  const { mint, tokenAmount } = account.data.parsed.info;
  const { amount, decimals } = tokenAmount;
  return { address: pubkey, mint, amount: BigInt(amount), decimals, tokenProgram: account.owner };
}
