import type { AssetSymbol } from "../assets";
import type { Move, SolPart, StuckTokens, Withdrawal } from "./withdrawal";

/** The request, the wallet's balances and the resulting plan. Amounts are base units; SOL is in lamports. */
export interface WithdrawalFacts {
  /** Null for everything. */
  asset: AssetSymbol | null;
  /** Null for the whole balance. */
  amount: bigint | null;
  sol: SolPart;
  balance: bigint;
  /** SOL that the destination already holds. */
  received: bigint;
  rentMin: bigint;
  moves: Move[];
  stuck: StuckTokens[];
  /** Total base units that could be moved. */
  available: bigint;
  keepRentMinimum: boolean;
  plan: Withdrawal;
}

const FREES = " Or withdraw everything: that returns the deposits of the wallet's token accounts, which pay for it.";

/** Explains why nothing can be built. Null when a withdrawal can be built. */
export function explainNoWithdrawal(situation: WithdrawalFacts): string | null {
  const { asset, sol, balance, plan } = situation;
  const isToken = asset !== null && asset !== "SOL";
  if (situation.moves.length === 0 && (sol === "none" || balance === 0n)) {
    const [stuck] = situation.stuck;
    if (stuck) return `None of it can be sent. ${stuck.reason}`;
    return `There is nothing to withdraw: the wallet holds no ${asset ?? "SOL and no tokens"}.`;
  }
  if (isToken && situation.amount !== null && situation.amount > situation.available) {
    return explainExcess(situation.amount, situation.available, `base units of ${asset}`);
  }
  if (plan.missing > 0n) {
    return `The wallet's SOL cannot pay the network fees and deposits on the way; it lacks ${plan.missing} lamports. Add them first, with a top-up or from any wallet: all but the network fees stays yours.${asset === null ? "" : FREES}`;
  }
  return sol === "none" ? null : explainNoSol(situation);
}

function explainNoSol({ received, rentMin, keepRentMinimum, moves, plan }: WithdrawalFacts): string | null {
  const { sent, remaining } = plan;
  if (remaining < 0n) return explainExcess(sent, sent + remaining, "lamports, network fee deducted");
  if ((keepRentMinimum || remaining > 0n) && remaining < rentMin) {
    const most = sent + remaining - rentMin;
    const less = most > 0n ? `at most ${most} lamports or ` : "";
    return `A wallet keeps no SOL or at least ${rentMin} lamports (the rent-exempt minimum): withdraw ${less}all of it.`;
  }
  if (sent === 0n) {
    return moves.length > 0 ? null : "The network fee would use up the balance; there is nothing left to withdraw.";
  }
  if (received + sent < rentMin) {
    return `The destination does not exist yet: it must receive at least ${rentMin} lamports (the rent-exempt minimum).`;
  }
  return null;
}

function explainExcess(amount: bigint, available: bigint, unit: string): string {
  return `The amount exceeds the balance: ${amount} asked for, ${available > 0n ? available : 0n} available (${unit}).`;
}
