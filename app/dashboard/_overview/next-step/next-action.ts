import type { Guards } from "@/app/_client/local-storage/guards";
import type { Portfolio } from "@/app/_client/queries/queries";
import { formatUsd } from "@/app/_components/money";
import {
  computeReadiness,
  formatMissing,
  formatMissingUsdc,
  type PendingBalance,
} from "@/app/dashboard/_components/readiness";
import type { PayAsset } from "@/lib/domain/assets";
import { lamportsToSol } from "@/lib/domain/money";
import { DEFAULT_CEILING_USD } from "@/lib/domain/plans";

type NextAction = "fund" | "top-up" | "invest" | "resume" | "wait-price" | "wait-limit" | "round-up";

/** A sentence about the next action. */
export interface Reason {
  tone: "good" | "warn" | "plain";
  text: string;
}

/** What the choice of the next action depends on. */
export interface NextActionFacts {
  isSandbox: boolean;
  guards: Guards;
  /** USD saved from this browser today and this month, compared with the person's limits. */
  savedTotals: { dayUsd: number; monthUsd: number };
  /** The service wallet's SOL or USDC that is not invested yet. */
  pendingBalance: PendingBalance & Pick<Portfolio, "investableUsd">;
  /** The main wallet's balance; null while unknown. `usd` is what it saves from; null without a price. */
  mainBalance: { lamports: number; usd: number | null; payWith: PayAsset } | null;
  /** Whether prices are fresh enough to build a transaction; null while unknown. */
  isPriceFresh: boolean | null;
}

interface Recommendation {
  action: NextAction;
  /** The first reason explains the action. */
  reasons: Reason[];
}

/** Chooses the next action and lists why the others are not available. */
export function chooseNextAction(facts: NextActionFacts): Recommendation {
  const { guards, pendingBalance, isPriceFresh } = facts;
  const isReady = computeReadiness(pendingBalance, guards.thresholdUsd)?.isReady === true;
  const hindrances = [findPause, findWalletProblem, findPriceProblem, findUsedUpLimit].flatMap(
    (find) => find(facts) ?? [],
  );
  const reasons = hindrances.map(({ text }): Reason => ({ tone: "warn", text }));
  if (isReady && isPriceFresh !== false) {
    const text = `${formatUsd(pendingBalance.investableUsd!)} ready to invest.`;
    return { action: "invest", reasons: [{ tone: "good", text }, ...reasons] };
  }
  const [firstHindrance] = hindrances;
  if (firstHindrance && isReady) return { action: "wait-price", reasons };
  return { action: firstHindrance?.action ?? "round-up", reasons: [...reasons, ...describeMissing(facts)] };
}

/** A reason against saving or investing now, and the action that helps. */
interface Hindrance {
  action: NextAction;
  text: string;
}

function findPause({ guards }: NextActionFacts): Hindrance | null {
  return guards.paused ? { action: "resume", text: "You paused saving. Resume to round up again." } : null;
}

function findWalletProblem({ mainBalance, isSandbox, guards }: NextActionFacts): Hindrance | null {
  if (!mainBalance) return null;
  const action = isSandbox ? "fund" : "top-up";
  const largestRoundUpUsd = guards.ceilingUsd ?? DEFAULT_CEILING_USD;
  if (mainBalance.lamports === 0) return { action, text: "Your main wallet is empty. Round-ups are paid from it." };
  if (guards.floorSol !== null && lamportsToSol(mainBalance.lamports) <= guards.floorSol) {
    const text = `Your main wallet is down to the ${guards.floorSol} SOL that you want to keep there, so nothing is saved.`;
    return { action, text };
  }
  if (mainBalance.usd !== null && mainBalance.usd < largestRoundUpUsd) {
    const text = `Your main wallet holds ${formatUsd(mainBalance.usd)} in ${mainBalance.payWith}, less than one payment’s change can be, ${formatUsd(largestRoundUpUsd)}.`;
    return { action, text };
  }
  return null;
}

function findPriceProblem({ isPriceFresh }: NextActionFacts): Hindrance | null {
  if (isPriceFresh !== false) return null;
  const text = "There is no fresh price right now, so nothing is saved or invested. This usually takes a minute.";
  return { action: "wait-price", text };
}

function findUsedUpLimit({ guards, savedTotals }: NextActionFacts): Hindrance | null {
  if (guards.perMonthUsd !== null && savedTotals.monthUsd >= guards.perMonthUsd) {
    const text = `Your monthly limit (${formatUsd(guards.perMonthUsd)}) is used up. Saving resumes next month.`;
    return { action: "wait-limit", text };
  }
  if (guards.perDayUsd !== null && savedTotals.dayUsd >= guards.perDayUsd) {
    const text = `Your daily limit (${formatUsd(guards.perDayUsd)}) is used up. Saving resumes tomorrow.`;
    return { action: "wait-limit", text };
  }
  return null;
}

/** Says how much is missing until the person can invest. Returns an empty list when nothing is missing. */
function describeMissing({ pendingBalance, guards }: NextActionFacts): Reason[] {
  const readiness = computeReadiness(pendingBalance, guards.thresholdUsd);
  const toReasons = (text: string): Reason[] => [{ tone: "plain", text }];
  if (readiness === null) return toReasons("The value of your savings is unknown without a price.");
  const { missingUsd, missingUsdcUsd, lacksOnlyCosts } = readiness;
  if (missingUsdcUsd > 0) return toReasons(`${formatMissingUsdc(missingUsdcUsd)}.`);
  if (missingUsd === 0) return [];
  if (pendingBalance.pendingLamports === 0 && pendingBalance.usdcUsd === undefined) {
    return toReasons(`Nothing to invest yet. You can invest once you have ${formatUsd(guards.thresholdUsd)}.`);
  }
  const costsCause = pendingBalance.usdcUsd === undefined ? "would use up the balance" : "are paid in SOL";
  const costsText = lacksOnlyCosts
    ? ` You reached your minimum to invest, but Solana’s account deposits and fees ${costsCause}.`
    : "";
  return toReasons(`${formatMissing(missingUsd)}.${costsText}`);
}
