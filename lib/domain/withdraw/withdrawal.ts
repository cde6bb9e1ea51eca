import { buildBudgetInstructions, computeMaxUnits, type PricedBudget, type PriorityFee } from "../../solana/budget";
import type { InstructionLike } from "../../solana/instructions";
import { buildSystemTransfer } from "../../solana/system-instructions";
import {
  buildCloseAccount,
  buildCreateAssociatedTokenAccount,
  buildTransferChecked,
  type TokenAmount,
} from "../../solana/token-instructions";
import { composeTransaction } from "../../solana/transactions";
import type { TokenHolding } from "../chain-accounts";
import { clampToZero } from "../money";

/**
 * Plans the transactions that empty a wallet, or that send a part of it. The wallet alone signs and pays for them.
 *
 * The problem: a transaction fails as a whole if the wallet cannot pay for one of its steps, or if it leaves the wallet
 * between 0 and the rent-exempt minimum.
 * The invariant: a plan with `missingLamports` 0 can pay for every step in order.
 * How it is kept: planWithdrawal follows the wallet's lamports through each move and records the largest shortfall.
 * Moves that return deposits come first and pay for the others.
 * Example: a wallet has 5,000 lamports more than the rent minimum, and two token accounts. The first one's tokens go to
 * an existing account, and closing it returns 2,039,280 lamports. They pay for opening the recipient's account of the
 * second token.
 */

export interface Source extends TokenHolding {
  /** Lamports in the account, including wrapped SOL. */
  lamports: bigint;
  /** True for wrapped SOL. */
  isNative: boolean;
  isClosable: boolean;
}

/** A token account that stays in the wallet. */
export interface StuckTokens extends TokenAmount {
  reason: string;
}

/** The recipient's account for a mint. */
export interface Target {
  account: string;
  /** Lamports to open the account. Null when it exists. */
  openingLamports: bigint | null;
}

/** The instructions for one token account. They always run in one transaction. */
export interface Move {
  mint: string;
  instructions: InstructionLike[];
  /** Null when the account is only closed. */
  sentTokens: TokenAmount | null;
  /** Lamports paid to open the recipient's token account. */
  openingLamports: bigint;
  /** Lamports returned by the closed account. */
  returnedLamports: bigint;
}

/** The two ends of a withdrawal, base58. */
export interface WithdrawalEnds {
  wallet: string;
  destination: string;
}

/** Returns the key of the recipient's account for a source's tokens: one account per mint and program. */
export const toTargetKey = ({ mint, tokenProgram }: { mint: string; tokenProgram: string }) =>
  `${tokenProgram}:${mint}`;

/**
 * Plans sending `amount` in total, or everything when it is null, from the sources in order. Moves that open no account
 * come first: the deposits they return pay for the others.
 * @param targets the recipient's account for every non-empty source except wrapped SOL, by toTargetKey
 * @param options.shouldCloseAccounts false leaves emptied token accounts open, so that tokens which arrive first cannot
 * make the transaction fail
 */
export function planMoves(
  ends: WithdrawalEnds,
  sources: Source[],
  targets: Map<string, Target>,
  amount: bigint | null,
  { shouldCloseAccounts }: { shouldCloseAccounts: boolean },
): Move[] {
  let remainingAmount = amount;
  const shares = sources.map((source) => {
    const share = remainingAmount === null || remainingAmount > source.amount ? source.amount : remainingAmount;
    if (remainingAmount !== null) remainingAmount -= share;
    return { source, share, target: (!source.isNative && share > 0n && targets.get(toTargetKey(source))) || null };
  });
  const mustOpenTarget = ({ target }: { target: Target | null }) => target !== null && target.openingLamports !== null;
  const openedKeys = new Set<string>();
  const orderedShares = [...shares.filter((portion) => !mustOpenTarget(portion)), ...shares.filter(mustOpenTarget)];
  return orderedShares.flatMap(({ source, share, target }) => {
    // A partial withdrawal leaves accounts alone that it does not need.
    if (amount !== null && share === 0n) return [];
    const key = toTargetKey(source);
    const openTarget = target && openedKeys.has(key) ? { ...target, openingLamports: null } : target;
    if (target) openedKeys.add(key);
    return planMove(ends, source, share, openTarget, shouldCloseAccounts) ?? [];
  });
}

/**
 * Plans sending `amount` from a token account. Closes the account if that empties it and the wallet may close it.
 * Returns null if there is nothing to do.
 */
function planMove(
  { wallet, destination }: WithdrawalEnds,
  source: Source,
  amount: bigint,
  target: Target | null,
  mayClose: boolean,
): Move | null {
  const { address: sourceAddress, mint, tokenProgram, decimals, lamports } = source;
  const isEmptied = amount === source.amount && (target !== null || amount === 0n);
  // The program closes a wrapped SOL account with any balance.
  const shouldClose = source.isClosable && (source.isNative || (isEmptied && mayClose));
  const openingLamports = target?.openingLamports ?? null;
  const instructions: InstructionLike[] = [];
  if (openingLamports !== null) {
    instructions.push(buildCreateAssociatedTokenAccount({ payer: wallet, owner: destination, mint }, tokenProgram));
  }
  if (target) {
    const accounts = { source: sourceAddress, destination: target.account, authority: wallet };
    instructions.push(buildTransferChecked({ ...accounts, mint, amount, decimals }, tokenProgram));
  }
  if (shouldClose)
    instructions.push(buildCloseAccount({ account: sourceAddress, destination: wallet, owner: wallet }, tokenProgram));
  if (instructions.length === 0) return null;
  return {
    mint,
    instructions,
    sentTokens: target && { mint, amount, decimals },
    openingLamports: openingLamports ?? 0n,
    returnedLamports: shouldClose ? lamports : 0n,
  };
}

/** The SOL to send: an amount in lamports, everything left at the end, or none. */
export type SolPart = bigint | "all" | "none";

/** A planned withdrawal. Amounts are lamports. */
export interface Withdrawal {
  /** Moves of each transaction, in execution order. The last transaction also sends the SOL. */
  groups: Move[][];
  /** The instructions of each transaction without its budget. The transfer of SOL moves nothing yet. */
  drafts: InstructionLike[][];
  budgets: PricedBudget[];
  networkFeeLamports: bigint;
  depositLamports: bigint;
  returnedLamports: bigint;
  sentLamports: bigint;
  /** Lamports left in the wallet. Negative when the request exceeds the balance. */
  remainingLamports: bigint;
  /** Lamports the wallet lacks for fees and deposits. 0 when it can pay. */
  missingLamports: bigint;
}

export type PriceTransaction = (draft: InstructionLike[], priority: PriorityFee) => PricedBudget;

export interface WithdrawalTerms {
  balanceLamports: bigint;
  /** Rent-exempt minimum of an empty account. */
  rentLamports: bigint;
  priority: PriorityFee;
  /** Chooses the budget of one transaction, and tells what the network charges for it. */
  priceTransaction: PriceTransaction;
  /** Keeps at least `rentLamports` in the wallet throughout, so arriving SOL cannot make a transaction fail. */
  keepRentMinimum: boolean;
}

/** Packs moves, in order, into as few transactions as possible and tracks the wallet's SOL through each. */
export function planWithdrawal(
  ends: WithdrawalEnds,
  moves: Move[],
  sol: SolPart,
  { balanceLamports, rentLamports, priority, priceTransaction, keepRentMinimum }: WithdrawalTerms,
): Withdrawal {
  const groups = packMoves(ends, moves, sol !== "none");
  const drafts = groups.map((group, i) =>
    sol !== "none" && i === groups.length - 1
      ? [...listInstructions(group), buildSolTransfer(ends, 0n)]
      : listInstructions(group),
  );
  const budgets = drafts.map((draft) => priceTransaction(draft, priority));
  let lamports = balanceLamports;
  let missingLamports = 0n;
  const requireLamports = (minimumLamports: bigint) => {
    if (minimumLamports - lamports > missingLamports) missingLamports = minimumLamports - lamports;
  };
  // The runtime requires a rent-exempt or empty fee payer, after paying the fee and again after the instructions.
  const requireRentExempt = () => requireLamports(lamports === 0n && !keepRentMinimum ? 0n : rentLamports);
  for (const [i, group] of groups.entries()) {
    lamports -= budgets[i]!.networkFeeLamports;
    requireRentExempt();
    for (const { openingLamports, returnedLamports } of group) {
      lamports -= openingLamports;
      requireLamports(0n);
      lamports += returnedLamports;
    }
    if (i < groups.length - 1 || sol === "none" || keepRentMinimum) requireRentExempt();
  }
  // A wallet with less than this cannot pay a fee, so its remaining SOL could never be withdrawn.
  const lastFeeLamports = budgets.at(-1)?.networkFeeLamports ?? 0n;
  const spareLamports = keepRentMinimum ? lamports - rentLamports - lastFeeLamports : lamports;
  const sentLamports = sol === "all" ? clampToZero(spareLamports) : sol === "none" ? 0n : sol;
  return {
    groups,
    drafts,
    budgets,
    networkFeeLamports: budgets.reduce((sum, { networkFeeLamports }) => sum + networkFeeLamports, 0n),
    depositLamports: moves.reduce((sum, { openingLamports }) => sum + openingLamports, 0n),
    returnedLamports: moves.reduce((sum, { returnedLamports }) => sum + returnedLamports, 0n),
    sentLamports,
    remainingLamports: lamports - sentLamports,
    missingLamports,
  };
}

export function buildInstructions(
  ends: WithdrawalEnds,
  { groups, budgets, sentLamports }: Withdrawal,
): InstructionLike[][] {
  return groups.map((group, i) => {
    const sendsSol = i === groups.length - 1 && sentLamports > 0n;
    const instructions = [...listInstructions(group), ...(sendsSol ? [buildSolTransfer(ends, sentLamports)] : [])];
    // The budget counts a transfer of SOL that may be left out.
    const maxUnits = computeMaxUnits(instructions.map(({ programId }) => programId));
    const { unitLimit, unitPrice } = budgets[i]!;
    return [...buildBudgetInstructions({ unitLimit: Math.min(unitLimit, maxUnits), unitPrice }), ...instructions];
  });
}

const listInstructions = (group: Move[]) => group.flatMap((move) => move.instructions);
const buildSolTransfer = ({ wallet, destination }: WithdrawalEnds, lamports: bigint) =>
  buildSystemTransfer(wallet, destination, lamports);

/** Groups moves so that each group fits one transaction, and with `shouldSendSol` the last one also a SOL transfer. */
function packMoves(ends: WithdrawalEnds, moves: Move[], shouldSendSol: boolean): Move[][] {
  const extraInstructions = [
    // A draft that is simulated names a price even if it is 0.
    ...buildBudgetInstructions({ unitLimit: 1, unitPrice: 1n }),
    ...(shouldSendSol ? [buildSolTransfer(ends, 0n)] : []),
  ];
  const groups: Move[][] = [];
  let group: Move[] = [];
  for (const move of moves) {
    // Reserve room for the SOL transfer in every group, because any group may become the last one.
    if (fitsTransaction(ends.wallet, [...listInstructions([...group, move]), ...extraInstructions])) {
      group.push(move);
    } else {
      groups.push(group);
      group = [move];
    }
  }
  if (group.length > 0 || shouldSendSol) groups.push(group);
  return groups;
}

/** A placeholder of 32 bytes, used only to measure the transaction's size. */
const PLACEHOLDER_BLOCKHASH = "11111111111111111111111111111111";

function fitsTransaction(payer: string, instructions: InstructionLike[]): boolean {
  try {
    composeTransaction({ payer, instructions, blockhash: PLACEHOLDER_BLOCKHASH });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
