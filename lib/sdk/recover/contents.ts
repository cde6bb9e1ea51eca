import { type Connection, PublicKey, VersionedMessage, VersionedTransaction } from "@solana/web3.js";
import bs58 from "bs58";
import {
  ASSETS,
  findAssetByMint,
  KNOWN_TOKENS,
  type KnownToken,
  LEGACY_MINTS,
  toTokenSymbol,
} from "../../domain/assets";
import type { AccountState, TokenHolding } from "../../domain/chain-accounts";
import { createWithdrawalPlanner, type FeeNode } from "../../domain/withdraw/priced-withdrawal";
import {
  type AccountReader,
  createRentCalculator,
  describeUnreadAccounts,
  MAX_ADDRESSES_PER_CALL,
  readSources,
} from "../../domain/withdraw/withdraw-sources";
import { buildInstructions, type WithdrawalEnds } from "../../domain/withdraw/withdrawal";
import { findPercentile, NO_PRIORITY_FEE, type PriorityFee } from "../../solana/budget";
import { COMMITMENT } from "../../solana/commitment";
import { MAX_PRIORITY_FEE_LAMPORTS } from "../../solana/compute-budget";
import type { InstructionLike } from "../../solana/instructions";
import { NATIVE_MINT, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../solana/programs";
import { readTokenAccount, TOKEN_ACCOUNT_BYTES } from "../../solana/token-accounts";

/** The Solana RPC methods that recovery needs; a web3.js `Connection` provides them. */
export type RecoverChain = Pick<
  Connection,
  | "getEpochInfo"
  | "getFeeForMessage"
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
  /** The number of transactions. */
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
  /** Why nothing can be sent; null when something can be sent. */
  reason: string | null;
}

export interface ContentsPreview {
  contents: Contents;
  /** Instructions of each transaction, in the order in which the transactions must run. */
  instructions: InstructionLike[][];
  /** False when the plan covers only a part of the wallet, and another run must follow. */
  isComplete: boolean;
  /** Lamports that the service wallet lacks for the plan; with `keepRentMinimum`, to leave its token accounts open. */
  missingLamports: bigint;
  /** Newest slot among the node responses used for this preview. */
  slot: number;
}

/** Offset of `decimals` in a mint: 36 bytes of authority, 8 of supply. Source: `Mint` in spl-token's state.rs. */
const DECIMALS_OFFSET = 44;

interface PreviewOptions {
  /** Null selects everything. */
  asset: KnownToken | null;
  keepRentMinimum: boolean;
  /** Minimum slot of the node's responses. */
  afterSlot?: number;
}

/**
 * Reads a service wallet and plans the transactions that empty it.
 * @throws {RangeError} when the destination is not a wallet
 * @throws RPC errors
 */
export async function previewContents(
  chain: RecoverChain,
  ends: WithdrawalEnds,
  options: PreviewOptions,
): Promise<ContentsPreview> {
  const { asset, keepRentMinimum, afterSlot } = options;
  const reader = createAccountReader(chain, afterSlot);
  const [accounts, holdings, rentLamports, tokenRentLamports, priority, { value: latest }] = await Promise.all([
    reader.readAccounts([ends.wallet, ends.destination]),
    readHoldings(chain, reader, ends.wallet, options),
    readRent(chain, 0),
    readRent(chain, TOKEN_ACCOUNT_BYTES),
    readPriority(chain, [new PublicKey(ends.wallet), new PublicKey(ends.destination)]),
    chain.getLatestBlockhashAndContext({ commitment: COMMITMENT, minContextSlot: afterSlot }),
  ]);
  const [walletAccount, destinationAccount] = accounts;
  if (destinationAccount && destinationAccount.owner !== SYSTEM_PROGRAM) {
    throw new RangeError("That destination is a token account, a mint or a program, not a wallet.");
  }
  const balanceLamports = walletAccount?.lamports ?? 0n;
  const sources = await readSources(reader, ends, holdings, createRentCalculator(rentLamports, tokenRentLamports));
  const request = { asset, amount: null, keepRentMinimum };
  const destinationLamports = destinationAccount?.lamports ?? 0n;
  const funds = { balanceLamports, destinationLamports, rentLamports, priority };
  const planner = createWithdrawalPlanner(createFeeNode(chain), ends, sources, request, funds, latest.blockhash);
  const { withdrawal, reason, stuckTokens, isComplete, missingLamports } = await planner.plan();
  const contents = {
    serviceWallet: ends.wallet,
    destination: ends.destination,
    lamports: balanceLamports,
    tokens: holdings.map(toToken),
    leftBehind: stuckTokens.map(({ reason, ...token }) => ({ ...toToken(token), reason })),
    leftOut: describeUnreadAccounts(sources),
    transactions: reason === null ? withdrawal.groups.length : 0,
    networkFeeLamports: withdrawal.networkFeeLamports,
    depositLamports: withdrawal.depositLamports,
    returnedLamports: withdrawal.returnedLamports,
    sentLamports: withdrawal.sentLamports,
    remainingLamports: reason === null ? withdrawal.remainingLamports : balanceLamports,
    keepsRentMinimum: keepRentMinimum,
    reason,
  };
  const instructions = reason === null ? buildInstructions(ends, withdrawal) : [];
  return { contents, instructions, isComplete, missingLamports, slot: reader.newestSlot };
}

const toToken = ({ mint, amount, decimals }: Omit<Token, "symbol">): Token => ({
  mint,
  symbol: toTokenSymbol(mint),
  amount,
  decimals,
});

/**
 * Builds the filters of the token accounts to read. A single asset is filtered by its mints, so that strangers' tokens
 * cannot make the response too large.
 */
async function buildFilters(reader: AccountReader, asset: KnownToken | null) {
  if (asset === null) return [TOKEN_PROGRAM, TOKEN_2022_PROGRAM].map((id) => ({ programId: new PublicKey(id) }));
  const legacyMints = Object.keys(LEGACY_MINTS).filter((mint) => findAssetByMint(mint) === asset);
  const mints = [KNOWN_TOKENS[asset].mint, ...legacyMints];
  const mintAccounts = await reader.readAccounts(mints);
  // A node rejects a mint that does not exist on its cluster.
  return mints.filter((_, i) => mintAccounts[i]).map((mint) => ({ mint: new PublicKey(mint) }));
}

/** Asks the node what a transaction uses and costs. An answer that fails counts as unknown. */
const createFeeNode = (chain: RecoverChain): FeeNode => ({
  async readUnits(_draft, bytes) {
    const config = { sigVerify: false, replaceRecentBlockhash: true, commitment: COMMITMENT };
    const simulation = await chain
      .simulateTransaction(VersionedTransaction.deserialize(bytes), config)
      .catch(() => null);
    return simulation?.value.err === null ? (simulation.value.unitsConsumed ?? null) : null;
  },
  async readFee(message) {
    const answer = await chain.getFeeForMessage(VersionedMessage.deserialize(message), COMMITMENT).catch(() => null);
    return answer?.value == null ? null : BigInt(answer.value);
  },
});

/** Returns the rent-exempt minimum of an account with this many data bytes, in lamports. */
const readRent = async (chain: RecoverChain, dataBytes: number) =>
  BigInt(await chain.getMinimumBalanceForRentExemption(dataBytes, COMMITMENT));

/**
 * Returns a priority fee for transactions that write to these accounts: a percentile of the recent fees. Returns no
 * priority fee when the node does not report them.
 */
export async function readPriority(
  chain: Pick<RecoverChain, "getRecentPrioritizationFees">,
  accounts: PublicKey[],
  { percentile, maxLamports } = { percentile: 50, maxLamports: MAX_PRIORITY_FEE_LAMPORTS },
): Promise<PriorityFee> {
  try {
    const fees = await chain.getRecentPrioritizationFees({ lockedWritableAccounts: accounts });
    const prices = fees.map(({ prioritizationFee }) => BigInt(prioritizationFee));
    return { unitPrice: findPercentile(prices, percentile), maxLamports };
  } catch {
    return NO_PRIORITY_FEE;
  }
}

/** Creates a reader of accounts that tracks the newest slot among the responses. */
function createAccountReader(chain: RecoverChain, minContextSlot?: number) {
  const reader = {
    newestSlot: 0,
    async readAccounts(addresses: string[]): Promise<(AccountState | null)[]> {
      const keys = addresses.map((address) => new PublicKey(address));
      const config = { commitment: COMMITMENT, minContextSlot };
      const { context, value } = await chain.getMultipleAccountsInfoAndContext(keys, config);
      reader.newestSlot = Math.max(reader.newestSlot, context.slot);
      return value.map(
        (account) => account && { ...account, lamports: BigInt(account.lamports), owner: account.owner.toBase58() },
      );
    },
  };
  return reader;
}

/** Lists the owner's token accounts. It omits accounts with unreadable data. */
async function readHoldings(
  chain: RecoverChain,
  reader: AccountReader,
  owner: string,
  { asset, afterSlot }: PreviewOptions,
): Promise<TokenHolding[]> {
  const filters = await buildFilters(reader, asset);
  const config = { commitment: COMMITMENT, minContextSlot: afterSlot };
  const holdingLists = await Promise.all(
    filters.map(async (filter) => {
      const { value } = await chain.getTokenAccountsByOwner(new PublicKey(owner), filter, config);
      return value.flatMap(({ pubkey, account: { data, owner: tokenProgram } }) => {
        const state = readTokenAccount(data);
        const mint = bs58.encode(data.subarray(0, 32));
        return state
          ? [{ address: pubkey.toBase58(), mint, tokenProgram: tokenProgram.toBase58(), amount: state.amount }]
          : [];
      });
    }),
  );
  const holdings = holdingLists.flat();
  const decimalsByMint = await readDecimals(reader, [...new Set(holdings.map(({ mint }) => mint))]);
  return holdings.map((holding) => ({ ...holding, decimals: decimalsByMint.get(holding.mint)! }));
}

/**
 * Reads the decimals of each mint, one page after another. A wallet can hold thousands of worthless tokens, and a public
 * node refuses that many parallel calls. A closed mint has no supply left, so it counts as having 0 decimals.
 */
async function readDecimals(reader: AccountReader, mints: string[]): Promise<Map<string, number>> {
  const decimals = new Map<string, number>();
  for (let start = 0; start < mints.length; start += MAX_ADDRESSES_PER_CALL) {
    const page = mints.slice(start, start + MAX_ADDRESSES_PER_CALL);
    const mintAccounts = await reader.readAccounts(page);
    for (const [i, mint] of page.entries())
      decimals.set(mint, mint === NATIVE_MINT ? ASSETS.SOL.decimals : (mintAccounts[i]?.data[DECIMALS_OFFSET] ?? 0));
  }
  return decimals;
}
