import type { Guards } from "@/app/_client/local-storage/guards";
import type { Portfolio } from "@/app/_client/queries/queries";
import { formatUsd } from "@/app/_components/money";
import { computeReadiness, type PendingBalance } from "@/app/dashboard/_components/investable";
import { lamportsToSol } from "@/lib/domain/money";
import { DEFAULT_CEILING_USD } from "@/lib/domain/plans";

/** The recommended next action. */
type NextAction = "fund" | "top-up" | "invest" | "resume" | "wait-price" | "wait-cap" | "round-up";

export interface Reason {
  tone: "good" | "warn" | "plain";
  text: string;
}

export interface Facts {
  sandbox: boolean;
  guards: Guards;
  /** Amounts saved from this browser, for the caps. */
  saved: { dayUsd: number; monthUsd: number };
  /** The service wallet's pending balance; null while unknown. */
  pending: PendingBalance & Pick<Portfolio, "investableUsd">;
  /** The main wallet's balance; null while unknown. */
  main: { lamports: number; usd: number | null } | null;
  /** Whether prices are fresh enough to build a transaction; null while unknown. */
  priceFresh: boolean | null;
}

interface Next {
  action: NextAction;
  /** The first reason explains the action. */
  reasons: Reason[];
}

/** Chooses the next action and lists why the others are not available. */
export function chooseNextAction(facts: Facts): Next {
  const { guards, pending, priceFresh } = facts;
  const state = computeReadiness(pending, guards.thresholdUsd);
  const reached = state?.ready === true;
  const hindrances = [
    ...pauseReason(facts),
    ...findWalletReason(facts),
    ...findPriceReason(facts),
    ...describeCap(facts),
  ];
  const reasons = hindrances.map(({ reason }) => reason);
  if (reached && priceFresh !== false) {
    const ready = createReason(`${formatUsd(pending.investableUsd!)} ready to invest.`, "good");
    return { action: "invest", reasons: [ready, ...reasons] };
  }
  const first = hindrances[0];
  if (first && !reached) return { action: first.action, reasons: [...reasons, ...findThresholdReason(facts)] };
  if (first) return { action: "wait-price", reasons };
  return { action: "round-up", reasons: findThresholdReason(facts) };
}

interface Hindrance {
  action: NextAction;
  reason: Reason;
}

function findPriceReason({ priceFresh }: Facts): Hindrance[] {
  if (priceFresh !== false) return [];
  const text = "There is no fresh price right now, so nothing is saved or invested. This usually takes a minute.";
  return [{ action: "wait-price", reason: createReason(text, "warn") }];
}

function pauseReason({ guards }: Facts): Hindrance[] {
  if (!guards.paused) return [];
  return [{ action: "resume", reason: createReason("You paused saving. Resume to round up again.", "warn") }];
}

function findWalletReason({ main, sandbox, guards }: Facts): Hindrance[] {
  if (!main) return [];
  const action = sandbox ? "fund" : "top-up";
  const largestUsd = guards.ceilingUsd ?? DEFAULT_CEILING_USD;
  if (main.lamports === 0) {
    return [{ action, reason: createReason("Your main wallet is empty. Round-ups are paid from it.", "warn") }];
  }
  if (guards.floorSol !== null && lamportsToSol(main.lamports) <= guards.floorSol) {
    const text = `Your main wallet is down to the minimum you set (${guards.floorSol} SOL), so nothing is saved.`;
    return [{ action, reason: createReason(text, "warn") }];
  }
  if (main.usd !== null && main.usd < largestUsd) {
    const text = `Your main wallet holds ${formatUsd(main.usd)}, less than the largest round-up of ${formatUsd(largestUsd)}.`;
    return [{ action, reason: createReason(text, "warn") }];
  }
  return [];
}

function describeCap({ guards, saved }: Facts): Hindrance[] {
  if (guards.perMonthUsd !== null && saved.monthUsd >= guards.perMonthUsd) {
    const text = `Your cap for this month (${formatUsd(guards.perMonthUsd)}) is used up. Saving resumes next month.`;
    return [{ action: "wait-cap", reason: createReason(text, "warn") }];
  }
  if (guards.perDayUsd !== null && saved.dayUsd >= guards.perDayUsd) {
    const text = `Your cap for today (${formatUsd(guards.perDayUsd)}) is used up. Saving resumes tomorrow.`;
    return [{ action: "wait-cap", reason: createReason(text, "warn") }];
  }
  return [];
}

function findThresholdReason({ pending, guards }: Facts): Reason[] {
  const state = computeReadiness(pending, guards.thresholdUsd);
  if (state === null) return [createReason("The value of your savings is unknown without a price.")];
  const { missingUsd, costsOnly } = state;
  if (missingUsd === 0) return [];
  if (pending.pendingLamports === 0) {
    return [createReason(`Nothing saved yet. You can invest once you have ${formatUsd(guards.thresholdUsd)}.`)];
  }
  const why = costsOnly ? ". You reached your goal, but Solana’s deposits and fees would use up the balance." : ".";
  return [createReason(`${formatUsd(missingUsd)} more and you can invest${why}`)];
}

const createReason = (text: string, tone: Reason["tone"] = "plain"): Reason => ({ tone, text });
