import { isKnownToken } from "../assets";
import type { FoundAccounts } from "./withdraw-sources";
import { type Source, type StuckTokens, type Target, toTargetKey } from "./withdrawal";

/**
 * Chooses the token accounts that a withdrawal empties. Known tokens are the supported assets and the dollar tokens. Anyone can open token accounts in a wallet's name and keep the
 * right to close them. An unknown token must therefore never cost the wallet more than it returns.
 */

/** The token accounts that a withdrawal empties, and the tokens that it leaves. */
export interface Choice {
  sources: Source[];
  /** Tokens that could be sent but stay behind, with the reason. */
  leftBehind: StuckTokens[];
  /** Whether the withdrawal closes the token accounts it empties. */
  shouldCloseAccounts: boolean;
}

const COSTS_MORE_REASON =
  "The destination has no account for it, and opening one costs more SOL than closing this one returns.";
const NO_SOL_REASON = "The wallet's SOL cannot pay for sending it.";
const ONLY_KNOWN_REASON =
  "This build sends supported assets and dollar tokens only, because an earlier one was refused.";

/**
 * Lists the ways to empty these accounts, the preferred one first.
 * @param amount total base units of one supported asset; null for everything
 * @param keepRentMinimum true to send known tokens only. Choices that leave the accounts open then come first:
 * tokens that arrive before the transaction cannot make it fail.
 */
export function listChoices(accounts: FoundAccounts, amount: bigint | null, keepRentMinimum: boolean): Choice[] {
  const { sources, targets } = accounts;
  const costlyTargets = findCostlyTargets(sources, targets);
  const fullChoice = { sources, leftBehind: [], shouldCloseAccounts: true };
  // Sending a covered source costs no more than closing its accounts returns.
  const isCostCovered = (source: Source) =>
    source.amount === 0n || source.isNative || !costlyTargets.has(toTargetKey(source));
  // Sending a free source opens no account, and closing the source returns its deposit.
  const isFree = (source: Source) =>
    source.amount === 0n || (source.isClosable && (targets.get(toTargetKey(source))?.openingLamports ?? null) === null);
  if (keepRentMinimum) {
    const knownChoice = {
      ...leaveBehind(fullChoice, isKnownToken, ONLY_KNOWN_REASON),
      shouldCloseAccounts: false,
    };
    const choices =
      amount === null ? [knownChoice, leaveBehind(knownChoice, isCostCovered, NO_SOL_REASON)] : [knownChoice];
    return [...choices, ...choices.map((choice) => ({ ...choice, shouldCloseAccounts: true }))];
  }
  if (amount !== null) return [fullChoice];
  const worthwhile = leaveBehind(
    fullChoice,
    (source) => isKnownToken(source) || isCostCovered(source),
    COSTS_MORE_REASON,
  );
  const affordable = leaveBehind(worthwhile, (source) => isKnownToken(source) || isFree(source), NO_SOL_REASON);
  return [worthwhile, affordable, leaveBehind(affordable, isCostCovered, NO_SOL_REASON)];
}

/** Returns the target keys of tokens whose new account at the destination costs more than closing sources returns. */
function findCostlyTargets(sources: Source[], targets: Map<string, Target>): Set<string> {
  const balances = new Map<string, bigint>();
  for (const source of sources) {
    if (source.amount === 0n || source.isNative) continue;
    const key = toTargetKey(source);
    const previousBalance = balances.get(key) ?? -(targets.get(key)?.openingLamports ?? 0n);
    balances.set(key, previousBalance + (source.isClosable ? source.lamports : 0n));
  }
  return new Set([...balances].flatMap(([key, balance]) => (balance < 0n ? [key] : [])));
}

/** Returns the choice without the sources that do not pass. Those are left behind with a reason. */
function leaveBehind(choice: Choice, passes: (source: Source) => boolean, reason: string): Choice {
  const leftSources = choice.sources.filter((source) => !passes(source) && source.amount > 0n);
  const stuckTokens = leftSources.map(({ mint, amount, decimals }) => ({ mint, amount, decimals, reason }));
  return { ...choice, sources: choice.sources.filter(passes), leftBehind: [...choice.leftBehind, ...stuckTokens] };
}
