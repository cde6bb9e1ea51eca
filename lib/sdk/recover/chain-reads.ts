import { type Connection, PublicKey, VersionedMessage, VersionedTransaction } from "@solana/web3.js";
import bs58 from "bs58";
import { ASSETS, findAssetByMint, KNOWN_TOKENS, type KnownToken, LEGACY_MINTS } from "../../domain/assets";
import type { AccountState, TokenHolding } from "../../domain/chain-accounts";
import type { FeeNode } from "../../domain/withdraw/priced-withdrawal";
import { type AccountReader, MAX_ADDRESSES_PER_CALL } from "../../domain/withdraw/withdraw-sources";
import { findPercentile, NO_PRIORITY_FEE, type PriorityFee } from "../../solana/budget";
import { COMMITMENT } from "../../solana/commitment";
import { MAX_PRIORITY_FEE_LAMPORTS } from "../../solana/compute-budget";
import { NATIVE_MINT, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../solana/programs";
import { readTokenAccount } from "../../solana/token-accounts";

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

/** Offset of `decimals` in a mint: 36 bytes of authority, 8 of supply. Source: `Mint` in spl-token's state.rs. */
const DECIMALS_OFFSET = 44;

/** Reads the SOL of a wallet, lamports. @param afterSlot minimum slot of the node's response */
export async function readBalance(chain: RecoverChain, wallet: string, afterSlot?: number): Promise<bigint> {
  const [account] = await createAccountReader(chain, afterSlot).readAccounts([wallet]);
  return account?.lamports ?? 0n;
}

/** Filters the token accounts of a single asset by its mints, so that strangers' tokens cannot flood the response. */
async function buildFilters(reader: AccountReader, asset: KnownToken | null) {
  if (asset === null) return [TOKEN_PROGRAM, TOKEN_2022_PROGRAM].map((id) => ({ programId: new PublicKey(id) }));
  const legacyMints = Object.keys(LEGACY_MINTS).filter((mint) => findAssetByMint(mint) === asset);
  const mints = [KNOWN_TOKENS[asset].mint, ...legacyMints];
  const mintAccounts = await reader.readAccounts(mints);
  // A node rejects a mint that does not exist on its cluster.
  return mints.filter((_, i) => mintAccounts[i]).map((mint) => ({ mint: new PublicKey(mint) }));
}

/** Asks the node what a transaction uses and costs. An answer that fails counts as unknown. */
export const createFeeNode = (chain: RecoverChain): FeeNode => ({
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

/** Reads the rent-exempt minimum, lamports. */
export const readRent = async (chain: RecoverChain, dataBytes: number) =>
  BigInt(await chain.getMinimumBalanceForRentExemption(dataBytes, COMMITMENT));

/** Returns a percentile of the recent priority fees of these accounts; none when the node does not report them. */
export async function readPriority(
  chain: Pick<RecoverChain, "getRecentPrioritizationFees">,
  accounts: (PublicKey | string)[],
  { percentile, maxLamports } = { percentile: 50, maxLamports: MAX_PRIORITY_FEE_LAMPORTS },
): Promise<PriorityFee> {
  try {
    const fees = await chain.getRecentPrioritizationFees({
      lockedWritableAccounts: accounts.map((account) => new PublicKey(account)),
    });
    const prices = fees.map(({ prioritizationFee }) => BigInt(prioritizationFee));
    return { unitPrice: findPercentile(prices, percentile), maxLamports };
  } catch {
    return NO_PRIORITY_FEE;
  }
}

export function createAccountReader(chain: RecoverChain, minContextSlot?: number) {
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
export async function readHoldings(
  chain: RecoverChain,
  reader: AccountReader,
  owner: string,
  { asset, afterSlot }: { asset: KnownToken | null; afterSlot?: number | undefined },
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
 * Reads the decimals of each mint, one page after another: a public node refuses the parallel calls that thousands of
 * worthless tokens would need. A closed mint has no supply left, so it counts as having 0 decimals.
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
