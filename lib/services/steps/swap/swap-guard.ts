import type { AccountState } from "../../../domain/chain-accounts";
import { checkSwap, type SwapTerms } from "../../../domain/swap/swap-check";
import { decodeBuiltTransaction } from "../../../domain/transaction-check";
import { AppError, createUpstreamError } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import { toBase64 } from "../../../solana/bytes";
import type { InstructionLike } from "../../../solana/instructions";
import { NATIVE_MINT, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../../solana/programs";
import { readInstructions } from "../../../solana/read-transaction";
import {
  buildTokenAccountData,
  isEqualExceptAmount,
  readTokenAmount,
  readTokenOwner,
  TOKEN_ACCOUNT_BYTES,
} from "../../../solana/token-accounts";
import { deriveAssociatedTokenAddress } from "../../../solana/token-instructions";
import { decodeTransaction, listLookupTables, resolveAccountKeys } from "../../../solana/transactions";

/*
 * Checks a swap that the aggregator, a third party, has planned: it must be exactly one swap of the requested terms and
 * cost the wallet no more. The instructions are checked (checkDraft), lookup tables are compared with the chain
 * (verifyTablesAndReadAccounts), and the wallet's accounts before and after a simulation (checkOutcome).
 */

interface Draft {
  bytes: Uint8Array;
  instructions: InstructionLike[];
}

/** Current state of the wallet's own accounts that a transaction may write to, keyed by address. */
type AccountsBefore = Map<string, AccountState | null>;

/** Accounts that a transaction may lock. Source: MAX_TX_ACCOUNT_LOCKS before it was raised, agave. */
const MAX_WRITABLE_ACCOUNTS = 64;

/** Checks a draft's instructions. @throws AppError upstream_invalid unless it is exactly one swap of these terms */
export function checkDraft(network: Deps["network"], draft: Draft, terms: SwapTerms): void {
  const writableAddresses = listWritableAddresses(draft, terms);
  refuseUnless(writableAddresses.length <= MAX_WRITABLE_ACCOUNTS, "more writable accounts than a transaction may lock");
  try {
    checkSwap(network, decodeBuiltTransaction(toBase64(draft.bytes)), terms);
  } catch (cause) {
    throw new AppError("upstream_invalid", { cause });
  }
}

/**
 * Reads the draft's lookup tables and writable accounts in one round, and compares the tables with the plan.
 * @returns the wallet's own accounts that the draft may write to
 * @throws AppError upstream_invalid when a table on the chain holds a different account than the plan names
 */
export async function verifyTablesAndReadAccounts(
  { rpc }: Deps,
  draft: Draft,
  terms: SwapTerms,
): Promise<AccountsBefore> {
  const { bytes, instructions } = draft;
  const { decoded } = decodeTransaction(bytes);
  const tableAddresses = listLookupTables(decoded);
  const writableAddresses = listWritableAddresses(draft, terms);
  const [tableAccounts, writableAccounts] = await Promise.all([
    tableAddresses.length === 0 ? [] : rpc.readAccounts(tableAddresses),
    rpc.readAccounts(writableAddresses, { firstBytes: TOKEN_ACCOUNT_BYTES }),
  ]);
  const tableContents = tableAccounts.map((table) => table?.data ?? null);
  const keys = resolveAccountKeys(decoded, tableContents);
  refuseUnless(keys !== null, "lookup tables that the chain does not have");
  const areAccountsAsPlanned = readInstructions(decoded.message, keys).every(({ accounts }, i) => {
    const plannedAddresses = instructions[i]!.accounts.map(({ pubkey }) => pubkey);
    return (
      accounts.length === plannedAddresses.length && accounts.every((address, j) => address === plannedAddresses[j])
    );
  });
  refuseUnless(areAccountsAsPlanned, "other accounts in its lookup tables than it names");
  const expectedAddresses = keepExpectedAddresses(writableAddresses, terms);
  const entries = writableAddresses.map((address, i) => [address, writableAccounts[i] ?? null] as const);
  return new Map(
    entries.filter(([address, state]) => expectedAddresses.includes(address) || isOwnTokenAccount(state, terms.wallet)),
  );
}

/** Lists the draft's writable accounts that every swap of these terms may use: the wallet and its token accounts. */
export const listExpectedAccounts = (draft: Draft, terms: SwapTerms) =>
  keepExpectedAddresses(listWritableAddresses(draft, terms), terms);

function keepExpectedAddresses(addresses: string[], { wallet, inputMint, outputMint }: SwapTerms): string[] {
  const mints = [inputMint, outputMint, NATIVE_MINT];
  const expectedAddresses = [wallet, ...mints.map((mint) => deriveAssociatedTokenAddress(wallet, mint))];
  return addresses.filter((address) => expectedAddresses.includes(address));
}

/** Lists the accounts that the instructions name as writable, without duplicates. The payer is always writable. */
function listWritableAddresses({ instructions }: Draft, { wallet }: SwapTerms): string[] {
  const writableMetas = instructions.flatMap(({ accounts }) => accounts.filter(({ isWritable }) => isWritable));
  return [...new Set([wallet, ...writableMetas.map(({ pubkey }) => pubkey)])];
}

const isTokenAccount = ({ owner }: AccountState) => owner === TOKEN_PROGRAM || owner === TOKEN_2022_PROGRAM;
const isOwnTokenAccount = (state: AccountState | null, wallet: string) =>
  state !== null && isTokenAccount(state) && readTokenOwner(state.data) === wallet;

/**
 * Checks the simulated outcome of a swap. The bought token must rise by at least the minimum, the sold token may fall
 * by at most the input, and no other token may fall. SOL may fall only by a SOL input and the network fee. Deposits
 * count as the wallet's, because its own accounts hold them. The wallet must still control all of its accounts.
 * @param accountsAfter simulated accounts, in the order of `accountsBefore`
 * @param feeLamports network fee of the simulated draft
 * @throws AppError upstream_invalid
 */
export function checkOutcome(
  accountsBefore: AccountsBefore,
  accountsAfter: (AccountState | null)[],
  terms: SwapTerms,
  feeLamports: bigint,
): void {
  const { wallet, inputMint, outputMint, inputAmount, minimumOutput } = terms;
  const [soldAddress, boughtAddress, wrappedSolAddress] = [inputMint, outputMint, NATIVE_MINT].map((mint) =>
    deriveAssociatedTokenAddress(wallet, mint),
  );
  let lostLamports = -feeLamports;
  refuseUnless(accountsAfter.length === accountsBefore.size, "another number of accounts than asked for");
  for (const [i, [address, previous]] of [...accountsBefore].entries()) {
    const current = accountsAfter[i] ?? null;
    lostLamports += (previous?.lamports ?? 0n) - (current?.lamports ?? 0n);
    if (address === wallet)
      refuseUnless(current === null || current.owner === (previous ?? current).owner, "the wallet given away");
    // Wrapped SOL needs no check of its amount: its lamports are part of `lostLamports`.
    else if (address === wrappedSolAddress)
      refuseUnless(
        current === null || !isTokenAccount(current) || isOwnTokenAccount(current, wallet),
        "wrapped SOL given away",
      );
    else {
      const minimumGain = address === boughtAddress ? minimumOutput : address === soldAddress ? -inputAmount : 0n;
      refuseUnless(
        current !== null && isTokenAccount(current) && readBalance(current) >= readBalance(previous) + minimumGain,
        "a token account lower than promised",
      );
      const expectedData =
        previous && isTokenAccount(previous) ? previous.data : buildTokenAccountData(outputMint, wallet);
      refuseUnless(isEqualExceptAmount(current.data, expectedData), "a token account changed");
    }
  }
  const maxLostLamports = inputMint === NATIVE_MINT ? inputAmount : outputMint === NATIVE_MINT ? -minimumOutput : 0n;
  refuseUnless(lostLamports <= maxLostLamports, "the wallet's SOL lower than promised");
}

const readBalance = (state: AccountState | null) => (state && isTokenAccount(state) ? readTokenAmount(state.data) : 0n);

function refuseUnless(condition: boolean, violation: string): asserts condition {
  if (!condition)
    throw createUpstreamError("upstream_invalid", "jupiter", `plans a swap that is refused: ${violation}`);
}
