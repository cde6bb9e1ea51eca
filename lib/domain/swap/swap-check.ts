import type { DecodedInstruction } from "../../solana/instructions";
import { computeMinimumOutput, JUPITER_EVENT_AUTHORITY, readJupiterSwap } from "../../solana/jupiter-swap";
import {
  ASSOCIATED_TOKEN_PROGRAM,
  JUPITER_PROGRAM,
  NATIVE_MINT,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from "../../solana/programs";
import type { TransactionContents } from "../../solana/read-transaction";
import { readSystemTransfer } from "../../solana/system-instructions";
import {
  deriveAssociatedTokenAddress,
  readCloseAccount,
  readSyncNative,
  readTransferChecked,
  type TokenTransfer,
} from "../../solana/token-instructions";
import { assertAsShown } from "../not-as-shown";
import {
  checkBudget,
  computeMaxDeposit,
  type NetworkFeeBounds,
  requireAccountClosing,
  requireAccountOpening,
  requireInMessage,
  requireOnlySigner,
} from "../transaction-check";

/**
 * Checks that a transaction's bytes are exactly one swap by the wallet.
 *
 * The problem: a swap is planned by a third party, and the wallet signs whatever bytes it gets. Hostile bytes could
 * move other money of the wallet, or sell it for too little.
 * The invariant: every accepted transaction sells at most `inputAmount`, and the chain enforces at least
 * `minimumOutput`.
 * How it is kept: every instruction must be one that this file knows, for the wallet's own accounts. The server checks
 * the aggregator's answer, and every client checks the server's answer. All functions throw NotAsShown.
 * Example: a plan for SOL to USDC contains a second transfer of 0.1 SOL to a stranger. The transfer does not go into
 * the wallet's wrapped SOL account, so the plan is refused with `sol_elsewhere`.
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
  slippageBps: number;
}

/** Amounts read from the transaction's bytes, in base units. */
export interface SwapFigures extends NetworkFeeBounds {
  inputAmount: bigint;
  /** Minimum that the chain enforces. */
  minimumOutput: bigint;
  /** The most that the opened token accounts cost. Refundable. */
  maxDepositLamports: bigint;
}

/** Checks a swap. Accepts only a swap by the sandbox's maker in the sandbox, and only a Jupiter swap elsewhere. */
export function checkSwap(network: string, transaction: TransactionContents, terms: SwapTerms): SwapFigures {
  assertAsShown(terms.inputMint !== terms.outputMint, "other_token");
  requireOnlySigner(transaction, terms.wallet);
  const instructions = checkBudget(transaction);
  const accounts = deriveTokenAccounts(terms);
  const figures =
    network === "sandbox"
      ? checkMakerSwap(instructions, terms, accounts)
      : checkJupiterSwap(instructions, terms, accounts);
  // SOL is bought as wrapped SOL, so the last instruction must unwrap it.
  const lastClose = readCloseAccount(instructions.at(-1)!);
  assertAsShown(terms.outputMint !== NATIVE_MINT || lastClose?.account === accounts.wrappedSol, "stays_wrapped");
  assertAsShown(figures.minimumOutput > 0n && figures.minimumOutput >= terms.minimumOutput, "below_minimum");
  const maxDepositLamports = computeMaxDeposit(instructions);
  const { lowestFeeLamports, highestFeeLamports } = transaction;
  return { ...figures, lowestFeeLamports, highestFeeLamports, maxDepositLamports };
}

function deriveTokenAccounts({ wallet, inputMint, outputMint }: SwapTerms) {
  const deriveAccount = (mint: string) => deriveAssociatedTokenAddress(wallet, mint);
  const [source, destination] = [deriveAccount(inputMint), deriveAccount(outputMint)];
  return { source, destination, wrappedSol: deriveAccount(NATIVE_MINT), tradedAccounts: [source, destination] };
}

type WalletTokenAccounts = ReturnType<typeof deriveTokenAccounts>;

type SwapAmounts = Pick<SwapFigures, "inputAmount" | "minimumOutput">;

/** Checks the instructions of a swap through Jupiter. Returns its amounts. */
function checkJupiterSwap(
  instructions: DecodedInstruction[],
  terms: SwapTerms,
  accounts: WalletTokenAccounts,
): SwapAmounts {
  const swaps = instructions.filter(({ program }) => program === JUPITER_PROGRAM);
  assertAsShown(swaps.length === 1, "not_one_swap");
  let wrappedLamports = 0n;
  for (const instruction of instructions) {
    if (instruction.program === SYSTEM_PROGRAM) wrappedLamports += checkWrapTransfer(instruction, terms, accounts);
    else if (instruction.program === ASSOCIATED_TOKEN_PROGRAM)
      requireAccountOpening(instruction, terms.wallet, terms.wallet, accounts.tradedAccounts);
    else if (isTokenInstruction(instruction)) requireWrappedSolHandling(instruction, terms.wallet, accounts);
    else assertAsShown(instruction.program === JUPITER_PROGRAM, "unknown_program");
  }
  assertAsShown(wrappedLamports <= terms.inputAmount, "too_much_sol");
  return checkRouteInstruction(swaps[0]!, terms, accounts);
}

const isTokenInstruction = ({ program }: DecodedInstruction) =>
  program === TOKEN_PROGRAM || program === TOKEN_2022_PROGRAM;

/** Checks that an instruction moves SOL into the wallet's own wrapped SOL account. Returns its lamports. */
function checkWrapTransfer(
  instruction: DecodedInstruction,
  { wallet, inputMint }: SwapTerms,
  accounts: WalletTokenAccounts,
): bigint {
  const transfer = readSystemTransfer(instruction);
  assertAsShown(transfer !== null && requireInMessage(transfer.from) === wallet, "unknown_instruction");
  assertAsShown(inputMint === NATIVE_MINT && requireInMessage(transfer.to) === accounts.wrappedSol, "sol_elsewhere");
  return transfer.lamports;
}

/** Requires an instruction that syncs the wallet's wrapped SOL account, or that unwraps it to the wallet. */
function requireWrappedSolHandling(
  instruction: DecodedInstruction,
  wallet: string,
  accounts: WalletTokenAccounts,
): void {
  assertAsShown(accounts.tradedAccounts.includes(accounts.wrappedSol), "unknown_instruction");
  const synced = readSyncNative(instruction);
  assertAsShown(
    (synced ? requireInMessage(synced.account) : requireAccountClosing(instruction, wallet)) === accounts.wrappedSol,
    "unknown_instruction",
  );
}

/** Checks Jupiter's instruction: its accounts, amounts, slippage and fees. Returns its amounts. */
function checkRouteInstruction(
  instruction: DecodedInstruction,
  terms: SwapTerms,
  accounts: WalletTokenAccounts,
): SwapAmounts {
  const swap = readJupiterSwap(instruction);
  assertAsShown(swap !== null, "unknown_instruction");
  assertAsShown(requireInMessage(swap.authority) === terms.wallet, "other_authority");
  assertAsShown(requireInMessage(swap.source) === accounts.source, "other_source");
  assertAsShown(requireInMessage(swap.destination) === accounts.destination, "tokens_elsewhere");
  // Jupiter writes its own address where it has no second destination.
  if (swap.repeatedDestination !== undefined)
    assertAsShown(
      [accounts.destination, JUPITER_PROGRAM].includes(requireInMessage(swap.repeatedDestination)),
      "tokens_elsewhere",
    );
  // The token accounts above belong to these mints. A mint in a lookup table cannot be read here, but it cannot differ:
  // the program would refuse the accounts.
  assertAsShown(swap.inputMint === null || swap.inputMint === terms.inputMint, "other_token");
  assertAsShown(swap.outputMint === null || swap.outputMint === terms.outputMint, "other_token");
  assertAsShown(swap.eventAuthority === null || swap.eventAuthority === JUPITER_EVENT_AUTHORITY, "unknown_instruction");
  assertAsShown(swap.program === JUPITER_PROGRAM, "unknown_instruction");
  assertAsShown(swap.inAmount === terms.inputAmount, "other_amount");
  assertAsShown(swap.slippageBps <= terms.slippageBps, "slippage");
  assertAsShown(swap.platformFeeBps === 0 && swap.positiveSlippageBps === 0, "swap_fee");
  return { inputAmount: swap.inAmount, minimumOutput: computeMinimumOutput(swap) };
}

/**
 * Checks the instructions of a swap by the sandbox's maker. Returns its amounts. One transfer sends the input. The other
 * one takes the output from an account that the maker approved for the wallet. SOL is sold as native SOL and bought as
 * wrapped SOL.
 */
function checkMakerSwap(
  instructions: DecodedInstruction[],
  terms: SwapTerms,
  accounts: WalletTokenAccounts,
): SwapAmounts {
  const soldAmounts: bigint[] = [];
  const boughtAmounts: bigint[] = [];
  for (const instruction of instructions) {
    const transfer = readTransferChecked(instruction);
    if (instruction.program === SYSTEM_PROGRAM) soldAmounts.push(readSolSold(instruction, terms));
    else if (instruction.program === ASSOCIATED_TOKEN_PROGRAM)
      requireAccountOpening(instruction, terms.wallet, terms.wallet, [accounts.destination]);
    else if (transfer && transfer.source === accounts.source) soldAmounts.push(readTokensSold(transfer, terms));
    else if (transfer) boughtAmounts.push(readTokensBought(transfer, terms, accounts));
    else {
      assertAsShown(isTokenInstruction(instruction), "unknown_program");
      assertAsShown(terms.outputMint === NATIVE_MINT, "unknown_instruction");
      requireWrappedSolHandling(instruction, terms.wallet, accounts);
    }
  }
  assertAsShown(soldAmounts.length === 1 && boughtAmounts.length === 1, "not_one_swap");
  assertAsShown(soldAmounts[0]! <= terms.inputAmount, "too_much_sol");
  return { inputAmount: soldAmounts[0]!, minimumOutput: boughtAmounts[0]! };
}

/** Reads the lamports that a transfer sells. Requires the wallet to send them. */
function readSolSold(instruction: DecodedInstruction, { wallet, inputMint }: SwapTerms): bigint {
  const transfer = readSystemTransfer(instruction);
  assertAsShown(transfer !== null && requireInMessage(transfer.from) === wallet, "unknown_instruction");
  assertAsShown(inputMint === NATIVE_MINT, "too_much_sol");
  return transfer.lamports;
}

/** Reads the tokens that a transfer sells. Requires the wallet's authority and exactly the input amount. */
function readTokensSold({ program, mint, authority, amount }: TokenTransfer, terms: SwapTerms): bigint {
  const { wallet, inputMint, inputAmount } = terms;
  assertAsShown(program === TOKEN_PROGRAM && requireInMessage(authority) === wallet, "unknown_instruction");
  assertAsShown(mint === inputMint && inputMint !== NATIVE_MINT, "other_token");
  assertAsShown(amount === inputAmount, "other_amount");
  return amount;
}

/** Reads the tokens that a transfer brings. Requires them to reach the wallet's own account from another account. */
function readTokensBought(
  transfer: TokenTransfer,
  { wallet, outputMint }: SwapTerms,
  accounts: WalletTokenAccounts,
): bigint {
  const { program, mint, source, destination, authority, amount } = transfer;
  assertAsShown(program === TOKEN_PROGRAM && requireInMessage(authority) === wallet, "unknown_instruction");
  assertAsShown(mint === outputMint, "other_token");
  assertAsShown(requireInMessage(source) !== accounts.destination, "other_source");
  assertAsShown(requireInMessage(destination) === accounts.destination, "tokens_elsewhere");
  return amount;
}
