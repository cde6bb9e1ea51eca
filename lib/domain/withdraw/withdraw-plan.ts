import { NO_PRIORITY_FEE } from "../../solana/budget";
import { isKnownToken, type KnownToken } from "../assets";
import { clampToZero } from "../money";
import { type Choice, listChoices } from "./withdraw-choice";
import type { FoundAccounts } from "./withdraw-sources";
import {
  type Move,
  planMoves,
  planWithdrawal,
  type SolPart,
  type StuckTokens,
  type Withdrawal,
  type WithdrawalEnds,
  type WithdrawalTerms,
} from "./withdrawal";

/**
 * Maximum number of token accounts that one build empties. With more, the blockhash would expire before the last one
 * is sent.
 */
const MAX_MOVES = 60;
const TOO_MANY_REASON =
  "One withdrawal does not hold more tokens. Supported assets, dollar tokens and what returns a deposit go first.";

/** Request for a withdrawal. Amounts are base units; SOL is in lamports. */
export interface WithdrawalRequest {
  /** Null for everything. */
  asset: KnownToken | null;
  /** Null for the whole balance. */
  amount: bigint | null;
  /**
   * Keeps the rent minimum in the wallet and sends known tokens only. Leaves token accounts open unless their
   * deposits are needed to pay for the withdrawal. While they stay open, nothing that a third party sends or does in the
   * meantime can make it fail.
   */
  keepRentMinimum: boolean;
}

/** Available SOL and network costs, in lamports. */
export interface Funds extends Omit<WithdrawalTerms, "keepRentMinimum"> {
  destinationLamports: bigint;
}

export interface WithdrawalPlan {
  withdrawal: Withdrawal;
  /** Why nothing is sent. Null when something is sent. */
  reason: string | null;
  moves: Move[];
  stuckTokens: StuckTokens[];
  /** False when the withdrawal needs more than one build. */
  isComplete: boolean;
  /** Lamports that the wallet lacks. With `keepRentMinimum`, those it lacks for the first choice. */
  missingLamports: bigint;
}

/**
 * Plans the first choice of listChoices that the wallet's SOL can pay for. If it can pay for none, returns the plan
 * that lacks the least SOL. A wallet that can pay only the base fee still gets a plan without a priority fee, which
 * lands later.
 */
export function planAffordableWithdrawal(
  ends: WithdrawalEnds,
  accounts: FoundAccounts,
  request: WithdrawalRequest,
  funds: Funds,
): WithdrawalPlan {
  const tokenAmount = request.asset === "SOL" ? null : request.amount;
  let bestPlan: WithdrawalPlan | null = null;
  let missingToKeepOpen: bigint | null = null;
  for (const choice of listChoices(accounts, tokenAmount, request.keepRentMinimum)) {
    for (const priority of [funds.priority, NO_PRIORITY_FEE]) {
      const candidate = planChoice(ends, accounts, choice, request, { ...funds, priority });
      const { missingLamports, reason, moves } = candidate;
      if (reason === null)
        return { ...candidate, missingLamports: request.keepRentMinimum ? (missingToKeepOpen ?? 0n) : missingLamports };
      if (!bestPlan || (moves.length > 0 && missingLamports > 0n && missingLamports < bestPlan.missingLamports))
        bestPlan = candidate;
    }
    // With `keepRentMinimum`, the first choice leaves the token accounts open. Otherwise this value is not used.
    missingToKeepOpen ??= bestPlan!.missingLamports;
  }
  return bestPlan!;
}

function planChoice(
  ends: WithdrawalEnds,
  accounts: FoundAccounts,
  choice: Choice,
  request: WithdrawalRequest,
  funds: Funds,
): WithdrawalPlan {
  const { asset, amount, keepRentMinimum } = request;
  const isSol = asset === "SOL";
  const allMoves = planMoves(ends, choice.sources, accounts.targets, isSol ? null : amount, choice);
  const { moves, droppedTokens, needsLaterBuild, hasPayingMove } = selectFirstMoves(allMoves);
  // Accounts that were not read are handled by a later build, after the moves that pay for it.
  const isComplete = !needsLaterBuild && (accounts.unreadCount === 0 || !hasPayingMove);
  // Keep the SOL for the fees of later builds.
  const solPart: SolPart = isComplete && (asset === null || isSol) ? (amount ?? "all") : "none";
  const terms = { ...funds, keepRentMinimum };
  let withdrawal = planWithdrawal(ends, moves, solPart, terms);
  // A new destination wallet must receive the rent minimum. If it would not, send the tokens without the SOL.
  if (
    keepRentMinimum &&
    solPart === "all" &&
    withdrawal.sentLamports > 0n &&
    funds.destinationLamports + withdrawal.sentLamports < funds.rentLamports
  ) {
    withdrawal = planWithdrawal(ends, moves, "none", terms);
  }
  const stuckTokens = [...accounts.stuckTokens, ...choice.leftBehind, ...droppedTokens];
  const availableAmount = choice.sources.reduce((sum, source) => sum + source.amount, 0n);
  const reason = explainNoWithdrawal({
    ...request,
    ...funds,
    solPart,
    moves,
    stuckTokens,
    availableAmount,
    withdrawal,
  });
  return { withdrawal, reason, moves, stuckTokens, isComplete, missingLamports: withdrawal.missingLamports };
}

/** Selects the moves of one build: known tokens first, then moves that return their costs. Keeps the order. */
function selectFirstMoves(moves: Move[]) {
  const ranks = rankMints(moves);
  const byRank = [...moves].sort((left, right) => ranks.get(left.mint)! - ranks.get(right.mint)!);
  const takenMoves = new Set(byRank.slice(0, MAX_MOVES));
  const laterMoves = byRank.slice(MAX_MOVES);
  return {
    moves: moves.filter((move) => takenMoves.has(move)),
    /** Later builds do not wait for these moves: each one costs more than it returns. */
    droppedTokens: laterMoves.flatMap(({ mint, sentTokens }) =>
      ranks.get(mint) === COSTLY_RANK && sentTokens ? [{ ...sentTokens, reason: TOO_MANY_REASON }] : [],
    ),
    needsLaterBuild: laterMoves.some(({ mint }) => ranks.get(mint)! < COSTLY_RANK),
    /** Whether a move returns its costs, so that it can pay for later builds. */
    hasPayingMove: moves.some(({ mint }) => ranks.get(mint)! < COSTLY_RANK),
  };
}

/** Ranks of mints: known tokens, then mints whose moves return their costs, then the rest. */
const KNOWN_RANK = 0;
const PAYING_RANK = 1;
const COSTLY_RANK = 2;

/** Ranks by mint, because a mint's first move opens the account that its other moves use. */
function rankMints(moves: Move[]): Map<string, number> {
  type Sum = { openingLamports: bigint; returnedLamports: bigint };
  const sums = new Map<string, Sum>();
  for (const { mint, openingLamports, returnedLamports } of moves) {
    const sum = sums.get(mint) ?? { openingLamports: 0n, returnedLamports: 0n };
    sums.set(mint, {
      openingLamports: sum.openingLamports + openingLamports,
      returnedLamports: sum.returnedLamports + returnedLamports,
    });
  }
  const computeRank = (mint: string, { openingLamports, returnedLamports }: Sum) => {
    if (isKnownToken({ mint })) return KNOWN_RANK;
    return returnedLamports > 0n && returnedLamports >= openingLamports ? PAYING_RANK : COSTLY_RANK;
  };
  return new Map([...sums].map(([mint, sum]) => [mint, computeRank(mint, sum)]));
}

interface WithdrawalFacts extends WithdrawalRequest, Omit<Funds, "priority"> {
  solPart: SolPart;
  moves: Move[];
  stuckTokens: StuckTokens[];
  /** Total base units that could be moved. */
  availableAmount: bigint;
  withdrawal: Withdrawal;
}

const WITHDRAW_ALL_HINT =
  " Or withdraw everything: that returns the deposits of the wallet's token accounts, which pay for it.";

/** Explains why nothing can be built. Returns null when a withdrawal can be built. */
function explainNoWithdrawal(facts: WithdrawalFacts): string | null {
  const { asset, solPart, balanceLamports, withdrawal } = facts;
  const isToken = asset !== null && asset !== "SOL";
  if (facts.moves.length === 0 && (solPart === "none" || balanceLamports === 0n)) {
    const [stuck] = facts.stuckTokens;
    if (stuck) return `None of it can be sent. ${stuck.reason}`;
    return `There is nothing to withdraw: the wallet holds no ${asset ?? "SOL and no tokens"}.`;
  }
  if (isToken && facts.amount !== null && facts.amount > facts.availableAmount) {
    return explainExcess(facts.amount, facts.availableAmount, `base units of ${asset}`);
  }
  if (withdrawal.missingLamports > 0n) {
    return `The wallet's SOL cannot pay the network fees and deposits on the way; it lacks ${withdrawal.missingLamports} lamports. Add them first, with a top-up or from any wallet: all but the network fees stays yours.${asset === null ? "" : WITHDRAW_ALL_HINT}`;
  }
  return solPart === "none" ? null : explainNoSol(facts);
}

/** Explains why the SOL cannot be sent as requested. Returns null when it can. */
function explainNoSol({
  destinationLamports,
  rentLamports,
  keepRentMinimum,
  moves,
  withdrawal,
}: WithdrawalFacts): string | null {
  const { sentLamports, remainingLamports } = withdrawal;
  if (remainingLamports < 0n)
    return explainExcess(sentLamports, sentLamports + remainingLamports, "lamports, network fee deducted");
  if ((keepRentMinimum || remainingLamports > 0n) && remainingLamports < rentLamports) {
    const maxLamports = sentLamports + remainingLamports - rentLamports;
    const maxText = maxLamports > 0n ? `at most ${maxLamports} lamports or ` : "";
    return `A wallet keeps no SOL or at least ${rentLamports} lamports (the rent-exempt minimum): withdraw ${maxText}all of it.`;
  }
  if (sentLamports === 0n) {
    return moves.length > 0 ? null : "The network fee would use up the balance; there is nothing left to withdraw.";
  }
  if (destinationLamports + sentLamports < rentLamports) {
    return `The destination does not exist yet: it must receive at least ${rentLamports} lamports (the rent-exempt minimum).`;
  }
  return null;
}

function explainExcess(amount: bigint, available: bigint, unit: string): string {
  return `The amount exceeds the balance: ${amount} asked for, ${clampToZero(available)} available (${unit}).`;
}
