import { ASSETS, type AssetSymbol } from "../../../domain/assets";
import type { AccountState } from "../../../domain/holdings";
import type { Deps } from "../../../ports/deps";
import { BASE_FEE_LAMPORTS } from "../../../solana/fees";
import { SYSTEM_PROGRAM } from "../../../solana/programs";
import { TOKEN_ACCOUNT_BYTES } from "../../../solana/token-accounts";
import { associatedTokenAddress } from "../../../solana/token-instructions";

/** Where a wallet's SOL goes when it is swapped, in lamports; the parts add up to the balance unless it is too small. */
export interface Swappable {
  balance: bigint;
  /** Rent of the token accounts still to be opened. */
  deposits: bigint;
  /** Rent of the wallet itself and of the temporary wrapped-SOL account. */
  reserve: bigint;
  /** The most that the network may take. */
  feeBound: bigint;
  /** What is left to swap, at least 0. */
  swappable: bigint;
}

/** Reads, in one round, what a wallet could swap into these assets now, one transaction each. */
export async function readSwappable(
  { rpc, maxPriorityFeeLamports }: Deps,
  wallet: string,
  bought: AssetSymbol[],
): Promise<Swappable> {
  const tokenAccounts = bought.map((asset) => tokenAccountOf(wallet, asset));
  const [[account, ...tokens], walletRent, tokenRent] = await Promise.all([
    rpc.accounts([wallet, ...tokenAccounts]),
    rpc.rentExemptMinimum(0),
    rpc.rentExemptMinimum(TOKEN_ACCOUNT_BYTES),
  ]);
  const balance = account?.lamports ?? 0n;
  const deposits = tokens.reduce((sum, token) => sum + missingDeposit(token ?? null, tokenRent), 0n);
  // Jupiter wraps SOL in a temporary token account; its rent comes back in the same transaction.
  const reserve = walletRent + tokenRent;
  const feeBound = BigInt(bought.length) * (BASE_FEE_LAMPORTS + maxPriorityFeeLamports);
  const left = balance - reserve - deposits - feeBound;
  return { balance, deposits, reserve, feeBound, swappable: left > 0n ? left : 0n };
}

/** Lamports that opening a token account takes: anybody may have sent some to its address before it exists. */
export function missingDeposit(account: AccountState | null, tokenRent: bigint): bigint {
  if (account === null) return tokenRent;
  return account.owner === SYSTEM_PROGRAM && account.lamports < tokenRent ? tokenRent - account.lamports : 0n;
}

const MAX_REMEMBERED = 10_000;
const known = new Map<string, string>();

/** associatedTokenAddress with a bounded memory: deriving one costs more than the rest of a request, and wallets come again. */
function tokenAccountOf(wallet: string, asset: AssetSymbol): string {
  const key = `${asset} ${wallet}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const address = associatedTokenAddress(wallet, ASSETS[asset].mint);
  if (known.size >= MAX_REMEMBERED) known.clear();
  known.set(key, address);
  return address;
}
