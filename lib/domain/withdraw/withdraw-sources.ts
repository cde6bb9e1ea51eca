import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../solana/programs";
import {
  type MintRules,
  PLAIN_MINT,
  readMintRules,
  readTokenAccount,
  readTokenAmount,
  TOKEN_ACCOUNT_BYTES,
  type TokenAccountState,
} from "../../solana/token-accounts";
import { deriveAssociatedTokenAddress } from "../../solana/token-instructions";
import { ASSETS, findAssetByMint, isKnownToken, LEGACY_MINTS, OTHER_DOLLARS } from "../assets";
import type { AccountState, TokenHolding } from "../chain-accounts";
import { clampToZero } from "../money";
import { type Source, type StuckTokens, type Target, toTargetKey, type WithdrawalEnds } from "./withdrawal";

/** Token accounts read for one build. Only wallets flooded with worthless tokens have more. */
const MAX_ACCOUNTS_READ = 200;
/** Limit of getMultipleAccounts. */
export const MAX_ADDRESSES_PER_CALL = 100;

/** Reads at most 100 accounts. Returns one result per address, in order. */
export interface AccountReader {
  readAccounts(addresses: string[]): Promise<(AccountState | null)[]>;
}

export interface FoundAccounts {
  sources: Source[];
  /** The recipient's account for every non-empty source except wrapped SOL, by toTargetKey. */
  targets: Map<string, Target>;
  stuckTokens: StuckTokens[];
  /** Number of token accounts beyond MAX_ACCOUNTS_READ. */
  unreadCount: number;
}

/** Describes the token accounts that were not read. Returns an empty list if all were read. */
export function describeUnreadAccounts({ unreadCount }: FoundAccounts): { account: null; reason: string }[] {
  const reason = `${unreadCount} more token accounts were not read: one build reads ${MAX_ACCOUNTS_READ}.`;
  return unreadCount === 0 ? [] : [{ account: null, reason }];
}

/** Reads the wallet's accounts of known tokens, for a wallet with more token accounts than a node lists. */
export async function readKnownHoldings(reader: AccountReader, wallet: string): Promise<TokenHolding[]> {
  const accounts = KNOWN_MINTS.map((token) => {
    return { ...token, address: deriveAssociatedTokenAddress(wallet, token.mint, token.tokenProgram) };
  });
  const accountStates = await readAllAccounts(
    reader,
    accounts.map(({ address }) => address),
  );
  return accounts.flatMap((account) => {
    const state = accountStates.get(account.address);
    if (state?.owner !== account.tokenProgram || state.data.length < TOKEN_ACCOUNT_BYTES) return [];
    return [{ ...account, amount: readTokenAmount(state.data) }];
  });
}

/** Returns the rent-exempt minimum in lamports for an account with this many data bytes. */
export type ComputeRent = (bytes: number) => bigint;

/**
 * Creates a function that interpolates rent between two values read from the chain. Rent is linear in the bytes, and a
 * mint's size is known only after the mint is read.
 */
export function createRentCalculator(emptyRent: bigint, tokenAccountRent: bigint): ComputeRent {
  return (bytes) => emptyRent + ((tokenAccountRent - emptyRent) * BigInt(bytes)) / BigInt(TOKEN_ACCOUNT_BYTES);
}

/**
 * Reads the accounts that sending these holdings touches, in parallel. Reads at most MAX_ACCOUNTS_READ of the holdings,
 * known tokens first.
 */
export async function readSources(
  reader: AccountReader,
  ends: WithdrawalEnds,
  holdings: TokenHolding[],
  computeRent: ComputeRent,
): Promise<FoundAccounts> {
  const orderedHoldings = [...holdings.filter(isKnownToken), ...holdings.filter((holding) => !isKnownToken(holding))];
  const selectedHoldings = orderedHoldings.slice(0, MAX_ACCOUNTS_READ);
  const filledHoldings = selectedHoldings.filter(({ amount }) => amount > 0n);
  const tokenKinds = [...new Map(filledHoldings.map((holding) => [toTargetKey(holding), holding]))];
  const targetAddresses = new Map(
    tokenKinds.map(([key, { mint, tokenProgram }]) => [
      key,
      deriveAssociatedTokenAddress(ends.destination, mint, tokenProgram),
    ]),
  );
  const mints = tokenKinds.flatMap(([, { mint, tokenProgram }]) => (tokenProgram === TOKEN_2022_PROGRAM ? mint : []));
  const accountStates = await readAllAccounts(reader, [
    ...selectedHoldings.map(({ address }) => address),
    ...targetAddresses.values(),
    ...mints,
  ]);

  const targets = new Map<string, Target>();
  const faultsByKey = new Map<string, string>();
  for (const [key, { mint, tokenProgram }] of tokenKinds) {
    const rules =
      tokenProgram === TOKEN_2022_PROGRAM ? readMintRules(accountStates.get(mint)?.data ?? EMPTY_DATA) : PLAIN_MINT;
    const account = targetAddresses.get(key)!;
    const accountState = accountStates.get(account) ?? null;
    const { target, fault } = findTarget(ends, account, accountState, tokenProgram, rules, computeRent);
    targets.set(key, target);
    if (fault !== null) faultsByKey.set(key, fault);
  }
  const separatedHoldings = separateMovableHoldings(selectedHoldings, accountStates, faultsByKey);
  return { ...separatedHoldings, targets, unreadCount: holdings.length - selectedHoldings.length };
}

/** The supported assets with their older mints and wrapped SOL, and the dollar tokens. */
const KNOWN_MINTS = [
  ...[...Object.values(ASSETS).map(({ mint }) => mint), ...Object.keys(LEGACY_MINTS)].map((mint) => {
    return { mint, decimals: ASSETS[findAssetByMint(mint)!].decimals, tokenProgram: TOKEN_PROGRAM };
  }),
  ...Object.values(OTHER_DOLLARS).map(({ mint, decimals }) => ({ mint, decimals, tokenProgram: TOKEN_2022_PROGRAM })),
];

const EMPTY_DATA = new Uint8Array();

/** Reads any number of accounts, in pages. Returns the state by address; null for an account that does not exist. */
async function readAllAccounts(reader: AccountReader, addresses: string[]): Promise<Map<string, AccountState | null>> {
  const pages: string[][] = [];
  for (let start = 0; start < addresses.length; start += MAX_ADDRESSES_PER_CALL)
    pages.push(addresses.slice(start, start + MAX_ADDRESSES_PER_CALL));
  const accountStates = (await Promise.all(pages.map((page) => reader.readAccounts(page)))).flat();
  return new Map(addresses.map((address, i) => [address, accountStates[i] ?? null]));
}

/** Computes the cost of opening the recipient's account. `fault` says why the account cannot receive tokens, or null. */
function findTarget(
  { destination }: WithdrawalEnds,
  account: string,
  accountState: AccountState | null,
  program: string,
  rules: MintRules,
  computeRent: ComputeRent,
): { target: Target; fault: string | null } {
  const tokenAccount = accountState?.owner === program ? readTokenAccount(accountState.data) : null;
  if (!tokenAccount) {
    // The address may already hold lamports. The program then adds only the difference.
    const openingLamports = computeRent(rules.accountBytes) - (accountState?.lamports ?? 0n);
    const fault = rules.hasFrozenNewAccounts ? "The destination would have to be approved by its issuer first." : null;
    return { target: { account, openingLamports: clampToZero(openingLamports) }, fault: rules.fault ?? fault };
  }
  return {
    target: { account, openingLamports: null },
    fault: rules.fault ?? findReceiveFault(tokenAccount, destination),
  };
}

/** Returns why the recipient's token account cannot receive tokens. Returns null if it can. */
function findReceiveFault({ owner, isFrozen, requiresMemo }: TokenAccountState, destination: string): string | null {
  if (owner !== destination) return "The destination's token account has been given to another owner.";
  if (isFrozen) return "The destination's token account is frozen by the issuer.";
  return requiresMemo ? "The destination's token account takes transfers only with a memo." : null;
}

/** Returns why a token account of the wallet cannot be emptied. Returns null if it can. */
function findSourceFault({ isFrozen, isNative, isClosable }: TokenAccountState): string | null {
  if (isFrozen) return "Its issuer has frozen the token account.";
  return isNative && !isClosable ? "Only another wallet can close this account of wrapped SOL." : null;
}

/** Separates the holdings that can be moved from the rest. Amounts are the ones just read. */
function separateMovableHoldings(
  holdings: TokenHolding[],
  accountStates: Map<string, AccountState | null>,
  faultsByKey: Map<string, string>,
): Pick<FoundAccounts, "sources" | "stuckTokens"> {
  const sources: Source[] = [];
  const stuckTokens: StuckTokens[] = [];
  for (const holding of holdings) {
    const { mint, decimals, amount } = holding;
    const accountState = accountStates.get(holding.address);
    const tokenAccount = accountState ? readTokenAccount(accountState.data) : null;
    // The account was closed since it was listed, so its tokens are elsewhere.
    if (!accountState) continue;
    if (!tokenAccount) {
      if (amount > 0n) stuckTokens.push({ mint, amount, decimals, reason: "Its token account could not be read." });
      continue;
    }
    const { amount: heldAmount, isNative, isClosable } = tokenAccount;
    const transferFault = heldAmount > 0n && !isNative ? (faultsByKey.get(toTargetKey(holding)) ?? null) : null;
    const reason = findSourceFault(tokenAccount) ?? transferFault;
    if (reason === null) {
      sources.push({ ...holding, amount: heldAmount, lamports: accountState.lamports, isNative, isClosable });
    } else if (heldAmount > 0n) stuckTokens.push({ mint, amount: heldAmount, decimals, reason });
  }
  return { sources, stuckTokens };
}
