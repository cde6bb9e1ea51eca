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
import { ASSETS, findAssetByMint, LEGACY_MINTS } from "../assets";
import type { AccountState, TokenHolding } from "../holdings";
import { clampToZero } from "../money";
import { type Source, type StuckTokens, type Target, toTargetKey, type WithdrawalEnds } from "./withdrawal";

/** Token accounts read for one build. Only wallets flooded with worthless tokens have more. */
const MAX_READ = 200;
/** Limit of getMultipleAccounts. */
const MAX_ADDRESSES = 100;

/** Reads at most 100 accounts. Returns one result per address, in order. */
export interface AccountReader {
  readAccounts(addresses: string[]): Promise<(AccountState | null)[]>;
}

/** The wallet's token accounts as read from the chain. */
export interface FoundAccounts {
  sources: Source[];
  /** The recipient's account for every non-empty source except wrapped SOL, by toTargetKey. */
  targets: Map<string, Target>;
  stuck: StuckTokens[];
  /** Number of token accounts beyond MAX_READ. */
  unread: number;
}

/** Describes the token accounts that were not read. */
export function describeUnreadAccounts({ unread }: FoundAccounts): { account: null; reason: string }[] {
  if (unread === 0) return [];
  return [{ account: null, reason: `${unread} more token accounts were not read: one build reads ${MAX_READ}.` }];
}

/** Reads the wallet's accounts of supported assets, for a wallet with more token accounts than a node lists. */
export async function readAssetHoldings(reader: AccountReader, wallet: string): Promise<TokenHolding[]> {
  const accounts = ASSET_MINTS.map((mint) => deriveAssociatedTokenAddress(wallet, mint));
  const read = await readAll(reader, accounts);
  return ASSET_MINTS.flatMap((mint, i) => {
    const found = read.get(accounts[i]!);
    if (found?.owner !== TOKEN_PROGRAM || found.data.length < TOKEN_ACCOUNT_BYTES) return [];
    const { decimals } = ASSETS[findAssetByMint(mint)!];
    return [{ account: accounts[i]!, mint, program: TOKEN_PROGRAM, amount: readTokenAmount(found.data), decimals }];
  });
}

/** Returns the rent-exempt minimum in lamports for an account with this many data bytes. */
export type RentOf = (bytes: number) => bigint;

/**
 * Creates a function that interpolates rent between two values read from the chain. Rent is linear in the bytes, and a
 * mint's size is known only after the mint is read.
 */
export function createRentCalculator(empty: bigint, tokenAccount: bigint): RentOf {
  return (bytes) => empty + ((tokenAccount - empty) * BigInt(bytes)) / BigInt(TOKEN_ACCOUNT_BYTES);
}

/** Reads all accounts that sending these holdings touches, in parallel. Supported assets come first. */
export async function readSources(
  reader: AccountReader,
  ends: WithdrawalEnds,
  holdings: TokenHolding[],
  computeRent: RentOf,
): Promise<FoundAccounts> {
  const chosen = [...holdings.filter(isAsset), ...holdings.filter((holding) => !isAsset(holding))].slice(0, MAX_READ);
  const kinds = [
    ...new Map(chosen.filter(({ amount }) => amount > 0n).map((source) => [toTargetKey(source), source])).entries(),
  ];
  const targetAddresses = new Map(
    kinds.map(([key, { mint, program }]) => [key, deriveAssociatedTokenAddress(ends.destination, mint, program)]),
  );
  const mints = kinds.filter(([, { program }]) => program === TOKEN_2022_PROGRAM).map(([, { mint }]) => mint);
  const read = await readAll(reader, [...chosen.map(({ account }) => account), ...targetAddresses.values(), ...mints]);

  const targets = new Map<string, Target>();
  const faults = new Map<string, string>();
  for (const [key, { mint, program }] of kinds) {
    const rules = program === TOKEN_2022_PROGRAM ? readMintRules(read.get(mint)?.data ?? EMPTY_DATA) : PLAIN_MINT;
    const account = targetAddresses.get(key)!;
    const { target, fault } = findTarget(ends, account, read.get(account) ?? null, program, rules, computeRent);
    targets.set(key, target);
    if (fault !== null) faults.set(key, fault);
  }
  const { sources, stuck } = separateMovable(chosen, read, faults);
  return { sources, targets, stuck, unread: holdings.length - chosen.length };
}

/** Mints of the original Token program, including older mints and wrapped SOL. */
const ASSET_MINTS = [...Object.values(ASSETS).map(({ mint }) => mint), ...Object.keys(LEGACY_MINTS)];

const EMPTY_DATA = new Uint8Array();

/** Returns whether a token is a supported asset. */
export const isAsset = ({ mint }: { mint: string }) => findAssetByMint(mint) !== null;

/** Reads any number of accounts, in pages. */
async function readAll(reader: AccountReader, addresses: string[]): Promise<Map<string, AccountState | null>> {
  const pages: string[][] = [];
  for (let at = 0; at < addresses.length; at += MAX_ADDRESSES) pages.push(addresses.slice(at, at + MAX_ADDRESSES));
  const found = (await Promise.all(pages.map((page) => reader.readAccounts(page)))).flat();
  return new Map(addresses.map((address, i) => [address, found[i] ?? null]));
}

/** Finds the cost of opening the recipient's account, and the reason if the account cannot receive tokens. */
function findTarget(
  { destination }: WithdrawalEnds,
  account: string,
  found: AccountState | null,
  program: string,
  rules: MintRules,
  computeRent: RentOf,
): { target: Target; fault: string | null } {
  const state = found?.owner === program ? readTokenAccount(found.data) : null;
  if (!state) {
    // The address may already hold lamports. The program then adds only the difference.
    const due = computeRent(rules.accountBytes) - (found?.lamports ?? 0n);
    const fault = rules.newAccountsFrozen ? "The destination would have to be approved by its issuer first." : null;
    return { target: { account, openingLamports: clampToZero(due) }, fault: rules.fault ?? fault };
  }
  return { target: { account, openingLamports: null }, fault: rules.fault ?? findReceiveFault(state, destination) };
}

/** Returns why the recipient's token account cannot receive tokens; null if it can. */
function findReceiveFault({ owner, frozen, wantsMemo }: TokenAccountState, destination: string): string | null {
  if (owner !== destination) return "The destination's token account has been given to another owner.";
  if (frozen) return "The destination's token account is frozen by the issuer.";
  return wantsMemo ? "The destination's token account takes transfers only with a memo." : null;
}

/** Returns why a token account of the wallet cannot be emptied; null if it can. */
function findSourceFault({ frozen, native, closable }: TokenAccountState): string | null {
  if (frozen) return "Its issuer has frozen the token account.";
  return native && !closable ? "Only another wallet can close this account of wrapped SOL." : null;
}

/** Separates the holdings that can be moved from the rest. Amounts are the ones just read. */
function separateMovable(
  holdings: TokenHolding[],
  read: Map<string, AccountState | null>,
  faults: Map<string, string>,
): { sources: Source[]; stuck: StuckTokens[] } {
  const sources: Source[] = [];
  const stuck: StuckTokens[] = [];
  for (const { account, mint, program, decimals, amount } of holdings) {
    const found = read.get(account);
    const state = found ? readTokenAccount(found.data) : null;
    // The account was closed since it was listed, so its tokens are elsewhere.
    if (!found) continue;
    if (!state) {
      if (amount > 0n) stuck.push({ mint, amount, decimals, reason: "Its token account could not be read." });
      continue;
    }
    const { amount: held, native, closable } = state;
    const transferFault = held > 0n && !native ? (faults.get(toTargetKey({ mint, program })) ?? null) : null;
    const reason = findSourceFault(state) ?? transferFault;
    if (reason === null) {
      sources.push({ account, mint, program, decimals, amount: held, lamports: found.lamports, native, closable });
    } else if (held > 0n) stuck.push({ mint, amount: held, decimals, reason });
  }
  return { sources, stuck };
}
