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

export interface Reason {
  tone: "good" | "warn" | "plain";
  text: string;
}

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
  reasons: Reason[];
}

/** Chooses the next action and lists why the others are not available. */
export function chooseNextAction(facts: NextActionFacts): Recommendation {
  const { guards, pendingBalance, isPriceFresh } = facts;
  const isReady = computeReadiness(pendingBalance, guards.thresholdUsd)?.isReady === true;
  const hindrances = listHindrances(facts);
  const reasons = hindrances.map(({ text }): Reason => ({ tone: "warn", text }));
  if (isReady && isPriceFresh !== false) {
    const text = `${formatUsd(pendingBalance.investableUsd!)} ready to invest.`;
    return { action: "invest", reasons: [{ tone: "good", text }, ...reasons] };
  }
  const [firstHindrance] = hindrances;
  if (firstHindrance && isReady) return { action: "wait-price", reasons };
  return { action: firstHindrance?.action ?? "round-up", reasons: [...reasons, ...describeMissing(facts)] };
}

interface Hindrance {
  action: NextAction;
  text: string;
}

/** Lists what prevents saving or investing now, each with the action that helps. */
function listHindrances({ guards, savedTotals, mainBalance, isSandbox, isPriceFresh }: NextActionFacts): Hindrance[] {
  const hindrances: Hindrance[] = [];
  const add = (action: NextAction, text: string) => hindrances.push({ action, text });
  if (guards.paused) add("resume", "You paused saving. Resume to round up again.");
  const walletProblem = mainBalance && findWalletProblem(mainBalance, guards);
  if (walletProblem) add(isSandbox ? "fund" : "top-up", walletProblem);
  if (isPriceFresh === false)
    add(
      "wait-price",
      "There is no fresh price right now, so nothing is saved or invested. This usually takes a minute.",
    );
  if (guards.perMonthUsd !== null && savedTotals.monthUsd >= guards.perMonthUsd)
    add("wait-limit", `Your monthly limit (${formatUsd(guards.perMonthUsd)}) is used up. Saving resumes next month.`);
  else if (guards.perDayUsd !== null && savedTotals.dayUsd >= guards.perDayUsd)
    add("wait-limit", `Your daily limit (${formatUsd(guards.perDayUsd)}) is used up. Saving resumes tomorrow.`);
  return hindrances;
}

function findWalletProblem(
  { lamports, usd, payWith }: NonNullable<NextActionFacts["mainBalance"]>,
  { floorSol, ceilingUsd }: Guards,
): string | null {
  const largestRoundUpUsd = ceilingUsd ?? DEFAULT_CEILING_USD;
  if (lamports === 0) return "Your main wallet is empty. Round-ups are paid from it.";
  if (floorSol !== null && lamportsToSol(lamports) <= floorSol)
    return `Your main wallet is down to the ${floorSol} SOL that you want to keep there, so nothing is saved.`;
  if (usd !== null && usd < largestRoundUpUsd)
    return `Your main wallet holds ${formatUsd(usd)} in ${payWith}, less than one payment’s change can be, ${formatUsd(largestRoundUpUsd)}.`;
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
