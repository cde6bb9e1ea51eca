import { z } from "zod";
import { AppError } from "../errors";
import type { TokenHolding } from "../ports";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../solana/programs";
import type { JsonRpc } from "./json-rpc";

/** About 20,000 token accounts: wallets flooded with worthless tokens are common. */
const MAX_BYTES = 16_777_216;

const Parsed = z.object({
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

const Answer = z.object({
  value: z.array(
    z.object({
      pubkey: z.string(),
      account: z.object({ owner: z.string(), data: z.union([Parsed, z.tuple([z.string(), z.string()])]) }),
    }),
  ),
});

/** Where a token account keeps its amount (u64 LE), in both programs. */
const AMOUNT_OFFSET = 64;

/** The token accounts of `owner` in both programs, read in one round trip (the node parses them, so decimals are there). */
export async function readTokenHoldings(rpc: JsonRpc, owner: string): Promise<TokenHolding[]> {
  const perProgram = await Promise.all([TOKEN_PROGRAM, TOKEN_2022_PROGRAM].map((id) => ofProgram(rpc, owner, id)));
  return perProgram.flat();
}

async function ofProgram(rpc: JsonRpc, owner: string, programId: string): Promise<TokenHolding[]> {
  const params = [owner, { programId }, { encoding: "jsonParsed", commitment: "confirmed" }];
  const { value } = await rpc.call("getTokenAccountsByOwner", params, Answer, { maxBytes: MAX_BYTES });
  return value.flatMap(({ pubkey, account }) => {
    const program = account.owner;
    if (!("parsed" in account.data)) return emptyOrThrow(account.data[0]);
    const { mint, tokenAmount } = account.data.parsed.info;
    const { amount, decimals } = tokenAmount;
    return [{ account: pubkey, mint, amount: BigInt(amount), decimals, program }];
  });
}

/** A node sends an account unparsed when its mint was closed; then it holds nothing and is left out. */
function emptyOrThrow(base64: string): [] {
  const data = Buffer.from(base64, "base64");
  if (data.length >= AMOUNT_OFFSET + 8 && data.readBigUInt64LE(AMOUNT_OFFSET) === 0n) return [];
  throw new AppError("upstream_invalid", { cause: new Error("token account with a balance, but unparsed") });
}
