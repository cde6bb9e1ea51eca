import type { ReadInstruction } from "../../solana/instructions";
import { JUPITER_EVENT_AUTHORITY, leastOutput, readJupiterSwap } from "../../solana/jupiter-swap";
import {
  ASSOCIATED_TOKEN_PROGRAM,
  JUPITER_PROGRAM,
  NATIVE_MINT,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from "../../solana/programs";
import type { ReadTransaction } from "../../solana/read-transaction";
import { readSystemTransfer } from "../../solana/system-instructions";
import {
  associatedTokenAddress,
  readCloseAccount,
  readSyncNative,
  readTransferChecked,
  type TokenTransfer,
} from "../../solana/token-instructions";
import { must } from "../not-as-shown";
import { checkBudget, mustBeInMessage, mustBeOnlySigner, mustCloseTo, mustOpenFor } from "../transaction-check";

/**
 * Checks that a transaction's bytes are exactly one swap by the wallet. The server checks the
 * aggregator's answer, and every client checks the server's answer. All functions throw NotAsShown.
 */

export interface SwapTerms {
  wallet: string;
  /** NATIVE_MINT is SOL. Every mint belongs to the original Token program, as all supported assets do. */
  inputMint: string;
  outputMint: string;
  /** Base units. */
  inputAmount: bigint;
  /** Minimum base units that must arrive. */
  minimumOutput: bigint;
  /** Slippage limit that the user chose. */
  slippageBps: number;
}

/** Amounts read from the transaction's bytes, in base units. */
export interface SwapFigures {
  inputAmount: bigint;
  /** Minimum that the chain enforces. */
  minimumOutput: bigint;
  networkFeeLamports: bigint;
}

/** Checks a swap. In the sandbox it accepts only a swap by the sandbox's maker, elsewhere only a Jupiter swap. */
export function checkSwap(network: string, built: ReadTransaction, terms: SwapTerms): SwapFigures {
  must(terms.inputMint !== terms.outputMint, "other_token");
  mustBeOnlySigner(built, terms.wallet);
  const instructions = checkBudget(built);
  const walletAccounts = deriveTokenAccounts(terms);
  const figures =
    network === "sandbox"
      ? checkMakerSwap(instructions, terms, walletAccounts)
      : checkJupiterSwap(instructions, terms, walletAccounts);
  // SOL is bought as wrapped SOL, so the last instruction must unwrap it.
  const last = readCloseAccount(instructions.at(-1)!);
  must(terms.outputMint !== NATIVE_MINT || last?.account === walletAccounts.wrapped, "stays_wrapped");
  must(figures.minimumOutput > 0n && figures.minimumOutput >= terms.minimumOutput, "below_minimum");
  return { ...figures, networkFeeLamports: built.networkFeeLamports };
}

interface WalletTokenAccounts {
  source: string;
  destination: string;
  wrapped: string;
  all: string[];
}

function deriveTokenAccounts({ wallet, inputMint, outputMint }: SwapTerms): WalletTokenAccounts {
  const [source, destination] = [inputMint, outputMint].map((mint) => associatedTokenAddress(wallet, mint));
  const wrapped = associatedTokenAddress(wallet, NATIVE_MINT);
  return { source: source!, destination: destination!, wrapped, all: [source!, destination!] };
}

type Amounts = Omit<SwapFigures, "networkFeeLamports">;

function checkJupiterSwap(instructions: ReadInstruction[], terms: SwapTerms, own: WalletTokenAccounts): Amounts {
  const swaps = instructions.filter(({ program }) => program === JUPITER_PROGRAM);
  must(swaps.length === 1, "not_one_swap");
  let wrapped = 0n;
  for (const one of instructions) {
    if (one.program === SYSTEM_PROGRAM) wrapped += checkWrapTransfer(one, terms, own);
    else if (one.program === ASSOCIATED_TOKEN_PROGRAM) mustOpenFor(one, terms.wallet, terms.wallet, own.all);
    else if (isToken(one)) mustHandleWrapped(one, terms.wallet, own);
    else must(one.program === JUPITER_PROGRAM, "unknown_program");
  }
  must(wrapped <= terms.inputAmount, "too_much_sol");
  return checkRouteInstruction(swaps[0]!, terms, own);
}

const isToken = ({ program }: ReadInstruction) => program === TOKEN_PROGRAM || program === TOKEN_2022_PROGRAM;

/** Returns the lamports that an instruction puts into the wallet's own wrapped SOL account for the sale. */
function checkWrapTransfer(one: ReadInstruction, { wallet, inputMint }: SwapTerms, own: WalletTokenAccounts): bigint {
  const transfer = readSystemTransfer(one);
  must(transfer !== null && mustBeInMessage(transfer.from) === wallet, "unknown_instruction");
  must(inputMint === NATIVE_MINT && mustBeInMessage(transfer.to) === own.wrapped, "sol_elsewhere");
  return transfer.lamports;
}

/** Allows syncing wrapped SOL or unwrapping it to the wallet. Refuses changes to any other token account. */
function mustHandleWrapped(one: ReadInstruction, wallet: string, own: WalletTokenAccounts): void {
  must(own.all.includes(own.wrapped), "unknown_instruction");
  const synced = readSyncNative(one);
  must((synced ? mustBeInMessage(synced.account) : mustCloseTo(one, wallet)) === own.wrapped, "unknown_instruction");
}

function checkRouteInstruction(one: ReadInstruction, terms: SwapTerms, own: WalletTokenAccounts): Amounts {
  const swap = readJupiterSwap(one);
  must(swap !== null, "unknown_instruction");
  must(mustBeInMessage(swap.authority) === terms.wallet, "other_authority");
  must(mustBeInMessage(swap.source) === own.source, "other_source");
  must(mustBeInMessage(swap.destination) === own.destination, "tokens_elsewhere");
  const repeatedDestination = swap.destinationAgain;
  // Jupiter writes its own address where it has no second destination.
  if (repeatedDestination !== undefined)
    must([own.destination, JUPITER_PROGRAM].includes(mustBeInMessage(repeatedDestination)), "tokens_elsewhere");
  // The token accounts are already checked to hold these mints. A mint hidden in a lookup table cannot differ from
  // them.
  must(swap.inputMint === null || swap.inputMint === terms.inputMint, "other_token");
  must(swap.outputMint === null || swap.outputMint === terms.outputMint, "other_token");
  must(swap.eventAuthority === null || swap.eventAuthority === JUPITER_EVENT_AUTHORITY, "unknown_instruction");
  must(swap.program === JUPITER_PROGRAM, "unknown_instruction");
  must(swap.inAmount === terms.inputAmount, "other_amount");
  must(swap.slippageBps <= terms.slippageBps, "slippage");
  must(swap.platformFeeBps === 0 && swap.positiveSlippageBps === 0, "swap_fee");
  return { inputAmount: swap.inAmount, minimumOutput: leastOutput(swap) };
}

/**
 * Reads a swap built by the sandbox's maker. One transfer sends the input. Another takes the output from an account
 * that the maker approved for the wallet. SOL is sold as native SOL and bought as wrapped SOL.
 */
function checkMakerSwap(instructions: ReadInstruction[], terms: SwapTerms, own: WalletTokenAccounts): Amounts {
  const sold: bigint[] = [];
  const bought: bigint[] = [];
  for (const one of instructions) {
    const transfer = readTransferChecked(one);
    if (one.program === SYSTEM_PROGRAM) sold.push(readSolSold(one, terms));
    else if (one.program === ASSOCIATED_TOKEN_PROGRAM) mustOpenFor(one, terms.wallet, terms.wallet, [own.destination]);
    else if (transfer && transfer.source === own.source) sold.push(readTokensSold(transfer, terms));
    else if (transfer) bought.push(readTokensBought(transfer, terms, own));
    else {
      must(isToken(one), "unknown_program");
      must(terms.outputMint === NATIVE_MINT, "unknown_instruction");
      mustHandleWrapped(one, terms.wallet, own);
    }
  }
  must(sold.length === 1 && bought.length === 1, "not_one_swap");
  must(sold[0]! <= terms.inputAmount, "too_much_sol");
  return { inputAmount: sold[0]!, minimumOutput: bought[0]! };
}

function readSolSold(one: ReadInstruction, { wallet, inputMint }: SwapTerms): bigint {
  const transfer = readSystemTransfer(one);
  must(transfer !== null && mustBeInMessage(transfer.from) === wallet, "unknown_instruction");
  must(inputMint === NATIVE_MINT, "too_much_sol");
  return transfer.lamports;
}

function readTokensSold({ program, mint, authority, amount }: TokenTransfer, terms: SwapTerms): bigint {
  const { wallet, inputMint, inputAmount } = terms;
  must(program === TOKEN_PROGRAM && mustBeInMessage(authority) === wallet, "unknown_instruction");
  must(mint === inputMint && inputMint !== NATIVE_MINT, "other_token");
  must(amount === inputAmount, "other_amount");
  return amount;
}

function readTokensBought(
  transfer: TokenTransfer,
  { wallet, outputMint }: SwapTerms,
  own: WalletTokenAccounts,
): bigint {
  const { program, mint, source, destination, authority, amount } = transfer;
  must(program === TOKEN_PROGRAM && mustBeInMessage(authority) === wallet, "unknown_instruction");
  must(mint === outputMint, "other_token");
  must(mustBeInMessage(source) !== own.destination, "other_source");
  must(mustBeInMessage(destination) === own.destination, "tokens_elsewhere");
  return amount;
}
