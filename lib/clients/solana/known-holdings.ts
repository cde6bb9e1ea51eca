import { z } from "zod";
import { ASSETS, TRADED_ASSETS } from "../../domain/assets";
import type { AccountState, TokenHolding } from "../../domain/chain-accounts";
import { computeAgeMs } from "../../domain/prices/age";
import { STORE_KEYS } from "../../domain/store-keys";
import type { Clock } from "../../ports/clock";
import type { TokenHoldings } from "../../ports/solana-rpc";
import { TOKEN_PROGRAM } from "../../solana/programs";
import { readTokenAmount, readTokenMint, readTokenOwner } from "../../solana/token-accounts";
import { deriveAssociatedTokenAddress } from "../../solana/token-instructions";
import { createLru } from "../process/cache";
import type { QuotaUser } from "../quota/quota-port";
import { createSharedValues, type SharedKv } from "../store/shared-values";
import { MAX_ADDRESSES_PER_CALL } from "./accounts";

/*
 * Reads the balances of a wallet whose token accounts are known.
 *
 * The problem: a list of a wallet's token accounts takes two calls, and a node searches all accounts for each.
 * The invariant: every balance is current. Only a token account that was opened within LIST_TTL_MS may be missing, but
 * never the associated account of a supported asset.
 * How it is kept: the addresses of a full list are cached, and those of the supported assets are added. One read of
 * these accounts gives their balances. A full list is read again after LIST_TTL_MS, and when the program, the owner or
 * the mint of an account has changed.
 */

const { ttlMs: LIST_TTL_MS } = STORE_KEYS.tokenAccounts;
/** Memory limit: token accounts over all wallets, about 300 bytes each. */
const MAX_CACHED_ACCOUNTS = 50_000;

const KnownAccounts = z.array(
  z.object({ account: z.string(), mint: z.string(), decimals: z.number(), program: z.string() }),
);
type KnownAccount = z.output<typeof KnownAccounts>[number];
type KnownList = { accounts: KnownAccount[]; readAt: number };

interface KnownHoldingsOptions {
  clock: Clock;
  /** Reads the first TOKEN_ACCOUNT_BYTES of accounts, in order. */
  readAccounts: (quotaUser: QuotaUser, addresses: string[]) => Promise<(AccountState | null)[]>;
  readAllHoldings: (quotaUser: QuotaUser, owner: string) => Promise<TokenHoldings>;
  kv: SharedKv;
}

/** Creates the reader. Its `read` throws AppError upstream_*, as `readAccounts` and `readAllHoldings` do. */
export function createKnownHoldingsReader({ clock, readAccounts, readAllHoldings, kv }: KnownHoldingsOptions) {
  const cachedLists = createLru<KnownList>(MAX_CACHED_ACCOUNTS, ({ accounts }) => accounts.length + 1);
  const sharedLists = createSharedValues({ kv, family: STORE_KEYS.tokenAccounts, schema: KnownAccounts });

  const readKnownAccounts = async (owner: string): Promise<KnownAccount[] | null> => {
    const cachedList = cachedLists.get(owner);
    if (cachedList && computeAgeMs(cachedList.readAt, clock.now()) < LIST_TTL_MS) return cachedList.accounts;
    return sharedLists.read(owner);
  };

  const readAndCacheList = async (quotaUser: QuotaUser, owner: string): Promise<TokenHoldings> => {
    const allHoldings = await readAllHoldings(quotaUser, owner);
    const accounts = addAssetAccounts(owner, allHoldings.holdings);
    if (allHoldings.leftOut.length > 0 || accounts.length >= MAX_ADDRESSES_PER_CALL) return allHoldings;
    cachedLists.set(owner, { accounts, readAt: clock.now() });
    await sharedLists.write(owner, accounts);
    return allHoldings;
  };

  return {
    async read(quotaUser: QuotaUser, owner: string): Promise<TokenHoldings> {
      const knownAccounts = await readKnownAccounts(owner);
      if (!knownAccounts) return readAndCacheList(quotaUser, owner);
      const addresses = knownAccounts.map(({ account }) => account);
      const accountStates = await readAccounts(quotaUser, addresses);
      const holdings: TokenHolding[] = [];
      for (const [i, account] of knownAccounts.entries()) {
        const state = accountStates[i];
        // A closed account has no data, and its address may still hold lamports.
        if (!state || state.data.length === 0) continue;
        const isUnchanged =
          state.owner === account.program &&
          readTokenOwner(state.data) === owner &&
          readTokenMint(state.data) === account.mint;
        if (!isUnchanged) return readAndCacheList(quotaUser, owner);
        const { account: address, program: tokenProgram, mint, decimals } = account;
        holdings.push({ address, mint, decimals, tokenProgram, amount: readTokenAmount(state.data) });
      }
      return { holdings, leftOut: [] };
    },
    /** Drops this process's lists of these wallets. A list in the shared store stays until it expires. */
    invalidate(owners: ReadonlySet<string>): void {
      for (const owner of owners) cachedLists.delete(owner);
    },
  };
}

/** Adds the accounts of the supported assets, which the service may open at any time. */
function addAssetAccounts(owner: string, holdings: TokenHolding[]): KnownAccount[] {
  const listedAccounts = holdings.map(({ address: account, mint, decimals, tokenProgram: program }) => {
    return { account, mint, decimals, program };
  });
  const listedAddresses = new Set(listedAccounts.map(({ account }) => account));
  const assetAccounts = TRADED_ASSETS.map((symbol) => {
    const { mint, decimals } = ASSETS[symbol];
    return { account: deriveAssociatedTokenAddress(owner, mint), mint, decimals, program: TOKEN_PROGRAM };
  });
  return [...listedAccounts, ...assetAccounts.filter(({ account }) => !listedAddresses.has(account))];
}
