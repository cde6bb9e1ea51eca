import { type Connection, PublicKey } from "@solana/web3.js";
import bs58 from "bs58";
import { ASSETS, type AssetSymbol, findAssetByMint, LEGACY_MINTS, toTokenSymbol } from "../../domain/assets";
import type { AccountState, TokenHolding } from "../../domain/holdings";
import { createRentCalculator, describeUnreadAccounts, readSources } from "../../domain/withdraw/withdraw-moves";
import { planAffordableWithdrawal } from "../../domain/withdraw/withdraw-plan";
import { buildInstructions, type WithdrawalEnds } from "../../domain/withdraw/withdrawal";
import { MAX_PRIORITY_FEE_LAMPORTS } from "../../solana/compute-budget";
import type { InstructionLike } from "../../solana/instructions";
import { findPercentile, NO_PRIORITY, type Priority } from "../../solana/priority";
import { NATIVE_MINT, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../solana/programs";
import { readTokenAccount, TOKEN_ACCOUNT_BYTES } from "../../solana/token-accounts";

/** The Solana RPC methods that recovery needs; a web3.js `Connection` provides them. */
export type RecoverChain = Pick<
  Connection,
  | "getEpochInfo"
  | "getLatestBlockhashAndContext"
  | "getMinimumBalanceForRentExemption"
  | "getMultipleAccountsInfoAndContext"
  | "getRecentPrioritizationFees"
  | "getSignatureStatuses"
  | "getTokenAccountsByOwner"
  | "sendRawTransaction"
  | "simulateTransaction"
>;

export interface Token {
  mint: string;
  symbol: string;
  /** Base units. */
  amount: bigint;
  decimals: number;
}

/** The contents of a service wallet, and the result of sending them to the destination. SOL is in lamports. */
export interface Contents {
  serviceWallet: string;
  destination: string;
  lamports: bigint;
  /** One entry per token account, including empty accounts. */
  tokens: Token[];
  /** Tokens that cannot be sent, each with the reason. */
  leftBehind: (Token & { reason: string })[];
  /** Accounts that could not be read, each with the reason. */
  leftOut: { account: string | null; reason: string }[];
  transactions: number;
  networkFeeLamports: bigint;
  /** Rent for token accounts that the destination does not have yet. */
  depositLamports: bigint;
  /** Rent returned by the token accounts that are closed. */
  returnedLamports: bigint;
  sentLamports: bigint;
  /** Lamports that remain in the service wallet afterwards. */
  remainingLamports: bigint;
  /**
   * True for a plan built after a refused attempt. It leaves the rent minimum, the token accounts and other tokens in
   * the wallet, so that an incoming transfer from a stranger cannot make it fail.
   */
  keepsRentMinimum: boolean;
  /** Why nothing can be sent; null when sending is possible. */
  reason: string | null;
}

export interface ContentsPreview {
  contents: Contents;
  /** Instructions of each transaction, in the order in which the transactions must run. */
  instructions: InstructionLike[][];
  /** False when the plan covers only a part of the wallet, and another run must follow. */
  complete: boolean;
  /** Lamports that the service wallet lacks; with `keepRentMinimum`, lacks to leave its token accounts open. */
  missingLamports: bigint;
  /** Newest slot among the node responses used for this preview. */
  slot: number;
}

/** Maximum number of addresses per request. Source: getMultipleAccounts. */
const MAX_ADDRESSES = 100;
/** Offset of `decimals` in a mint: 36 bytes of authority, 8 of supply. Source: `Mint` in spl-token's state.rs. */
const DECIMALS_AT = 44;

interface PreviewOptions {
  /** Null selects everything. */
  asset: AssetSymbol | null;
  keepRentMinimum: boolean;
  /** Minimum slot of the node's responses. */
  afterSlot?: number;
}

/**
 * Reads a service wallet and plans the transactions that empty it.
 * @throws {RangeError} when the destination is not a wallet; RPC errors pass through
 */
export async function previewContents(
  chain: RecoverChain,
  ends: WithdrawalEnds,
  { asset, keepRentMinimum, afterSlot }: PreviewOptions,
): Promise<ContentsPreview> {
  const reader = createAccountReader(chain, afterSlot);
  const { readAccounts } = reader;
  const [[account, recipient], holdings, rentMin, tokenRent, priority] = await Promise.all([
    readAccounts([ends.wallet, ends.destination]),
    readHoldings(chain, ends.wallet, asset, readAccounts, afterSlot),
    readRent(chain, 0),
    readRent(chain, TOKEN_ACCOUNT_BYTES),
    readPriority(chain, [new PublicKey(ends.wallet), new PublicKey(ends.destination)]),
  ]);
  if (recipient && recipient.owner !== SYSTEM_PROGRAM) {
    throw new RangeError("That destination is a token account, a mint or a program, not a wallet.");
  }
  const [balance, received] = [account?.lamports ?? 0n, recipient?.lamports ?? 0n];
  const found = await readSources(reader, ends, holdings, createRentCalculator(rentMin, tokenRent));
  const request = { asset, amount: null, keepRentMinimum };
  const funds = { balance, received, rentMin, priority };
  const { plan, reason, stuck, complete, missing } = planAffordableWithdrawal(ends, found, request, funds);
  const contents = {
    serviceWallet: ends.wallet,
    destination: ends.destination,
    lamports: balance,
    tokens: holdings.map(toToken),
    leftBehind: stuck.map(({ reason, ...token }) => ({ ...toToken(token), reason })),
    leftOut: describeUnreadAccounts(found),
    transactions: reason === null ? plan.groups.length : 0,
    networkFeeLamports: plan.networkFee,
    depositLamports: plan.deposits,
    returnedLamports: plan.returned,
    sentLamports: plan.sent,
    remainingLamports: reason === null ? plan.remaining : balance,
    keepsRentMinimum: keepRentMinimum,
    reason,
  };
  const instructions = reason === null ? buildInstructions(ends, plan) : [];
  return { contents, instructions, complete, missingLamports: missing, slot: reader.slot };
}

const toToken = ({ mint, amount, decimals }: Omit<Token, "symbol">): Token => ({
  mint,
  symbol: toTokenSymbol(mint),
  amount,
  decimals,
});

/** Filters a single asset by its mints. Unrelated tokens from strangers then cannot make the response too large. */
async function buildFilters(asset: AssetSymbol | null, readAccounts: ReadAccounts) {
  if (asset === null) return [TOKEN_PROGRAM, TOKEN_2022_PROGRAM].map((id) => ({ programId: new PublicKey(id) }));
  const older = Object.keys(LEGACY_MINTS).filter((mint) => findAssetByMint(mint) === asset);
  const mints = [ASSETS[asset].mint, ...older];
  const found = await readAccounts(mints);
  // A node rejects a mint that does not exist on its cluster.
  return mints.filter((_, i) => found[i]).map((mint) => ({ mint: new PublicKey(mint) }));
}

const readRent = async (chain: RecoverChain, bytes: number) =>
  BigInt(await chain.getMinimumBalanceForRentExemption(bytes, "confirmed"));

/**
 * Returns a priority fee for transactions that write to these accounts: a percentile of the recent ones. No priority fee
 * when the node reports none.
 */
export async function readPriority(
  chain: Pick<RecoverChain, "getRecentPrioritizationFees">,
  accounts: PublicKey[],
  { percentile: percent, maxLamports } = { percentile: 50, maxLamports: MAX_PRIORITY_FEE_LAMPORTS },
): Promise<Priority> {
  try {
    const fees = await chain.getRecentPrioritizationFees({ lockedWritableAccounts: accounts });
    const prices = fees.map(({ prioritizationFee }) => BigInt(prioritizationFee));
    return { unitPrice: findPercentile(prices, percent), maxLamports };
  } catch {
    return NO_PRIORITY;
  }
}

type ReadAccounts = (addresses: string[]) => Promise<(AccountState | null)[]>;

/** Reads accounts and tracks the newest slot among the responses. */
function createAccountReader(chain: RecoverChain, minContextSlot?: number) {
  const reader = {
    slot: 0,
    async readAccounts(addresses: string[]): Promise<(AccountState | null)[]> {
      const keys = addresses.map((address) => new PublicKey(address));
      const config = { commitment: "confirmed" as const, minContextSlot };
      const { context, value } = await chain.getMultipleAccountsInfoAndContext(keys, config);
      reader.slot = Math.max(reader.slot, context.slot);
      return value.map(
        (found) => found && { ...found, lamports: BigInt(found.lamports), owner: found.owner.toBase58() },
      );
    },
  };
  return reader;
}

/** Lists the owner's token accounts. It omits accounts with unreadable data. */
async function readHoldings(
  chain: RecoverChain,
  owner: string,
  asset: AssetSymbol | null,
  readAccounts: ReadAccounts,
  minContextSlot?: number,
): Promise<TokenHolding[]> {
  const filters = await buildFilters(asset, readAccounts);
  const found = await Promise.all(
    filters.map(async (filter) => {
      const config = { commitment: "confirmed" as const, minContextSlot };
      const { value } = await chain.getTokenAccountsByOwner(new PublicKey(owner), filter, config);
      return value.flatMap(({ pubkey, account: { data, owner: program } }) => {
        const state = readTokenAccount(data);
        const mint = bs58.encode(data.subarray(0, 32));
        return state ? [{ account: pubkey.toBase58(), mint, program: program.toBase58(), amount: state.amount }] : [];
      });
    }),
  );
  const list = found.flat();
  const decimals = await readDecimals([...new Set(list.map(({ mint }) => mint))], readAccounts);
  return list.map((holding) => ({ ...holding, decimals: decimals.get(holding.mint)! }));
}

/** Reads the decimals of each mint. A closed mint has no supply left, so 0 decimals are used. */
async function readDecimals(mints: string[], readAccounts: ReadAccounts): Promise<Map<string, number>> {
  const decimals = new Map<string, number>();
  for (let at = 0; at < mints.length; at += MAX_ADDRESSES) {
    const page = mints.slice(at, at + MAX_ADDRESSES);
    const read = await readAccounts(page);
    for (const [i, mint] of page.entries()) {
      decimals.set(mint, mint === NATIVE_MINT ? 9 : (read[i]?.data[DECIMALS_AT] ?? 0));
    }
  }
  return decimals;
}
