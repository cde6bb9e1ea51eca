import { clampToZero } from "../domain/money";
import { shortenAddress } from "../solana/short-address";
import type { Balances, OperatorAccounts } from "./chain";
import type { TransferOutcome } from "./send";
import { formatExactSol, renderTable } from "./table";
import type { FundPlan, SkipReason, SweepPlan } from "./transfer-plans";

/* Formats the commands' tables and sentences. Pure functions; amounts are exact SOL. */

const SKIP_TEXTS: Record<SkipReason, string> = {
  no_surplus: "skipped: no surplus",
  not_worth_fee: "skipped: surplus is not worth the fee",
  treasury_unopened: "skipped: too little to open the treasury account",
};

/** Formats every balance, with each collector's surplus over the rent-exempt minimum. */
export function formatStatus(accounts: OperatorAccounts, balances: Balances): string {
  const { rentMinimumLamports, collectorLamports } = balances;
  const surpluses = collectorLamports.map((lamports) => clampToZero(lamports - rentMinimumLamports));
  const collectorRows = accounts.collectors.map((key, index) => [
    String(index),
    key.toBase58(),
    ...[collectorLamports[index]!, surpluses[index]!].map(formatExactSol),
  ]);
  const treasuryName = `treasury ${shortenAddress(accounts.treasury.toBase58())}`;
  return renderTable(
    ["#", "account", "SOL", "surplus SOL"],
    [
      ...collectorRows,
      ["", "all collectors", ...[collectorLamports, surpluses].map(sumLamports).map(formatExactSol)],
      ["", treasuryName, formatExactSol(balances.treasuryLamports)],
      ["", `funder ${accounts.funder.toBase58()}`, formatExactSol(balances.funderLamports)],
    ],
  );
}

/** Returns the same balances as formatStatus, in lamports, for programs. */
export function toStatusJson(node: string, accounts: OperatorAccounts, balances: Balances) {
  const { rentMinimumLamports, collectorLamports, funderLamports, treasuryLamports } = balances;
  return {
    node,
    rentMinimumLamports: Number(rentMinimumLamports),
    collectors: accounts.collectors.map((key, index) => ({
      address: key.toBase58(),
      lamports: Number(collectorLamports[index]!),
      funded: collectorLamports[index]! >= rentMinimumLamports,
    })),
    funder: { address: accounts.funder.toBase58(), lamports: Number(funderLamports) },
    treasury: { lamports: Number(treasuryLamports) },
  };
}

/** Formats the amount that each collector would receive. Omits collectors that need nothing. */
export function formatFundPlan(accounts: OperatorAccounts, balances: Balances, plan: FundPlan): string {
  const rows = plan.transfers.map(({ collectorIndex, lamports }) => [
    String(collectorIndex),
    accounts.collectors[collectorIndex]!.toBase58(),
    formatExactSol(balances.collectorLamports[collectorIndex]!),
    formatExactSol(lamports),
  ]);
  rows.push(["", "all, and the network fee", "", formatExactSol(plan.totalLamports + plan.feeLamports)]);
  return renderTable(["#", "collector", "holds SOL", "receives SOL"], rows);
}

/**
 * Formats the amount that each collector would send, or the reason why it sends nothing.
 * @param feeLamports network fee of one transfer
 */
export function formatSweepPlan(
  accounts: OperatorAccounts,
  { rentMinimumLamports, collectorLamports }: Balances,
  plan: SweepPlan,
  feeLamports: bigint,
): string {
  const cellsByCollector = new Map<number, string[]>();
  for (const { collectorIndex, lamports } of plan.transfers)
    cellsByCollector.set(collectorIndex, [lamports, feeLamports, rentMinimumLamports].map(formatExactSol));
  for (const { collectorIndex, reason } of plan.skipped) {
    const keptSol = formatExactSol(collectorLamports[collectorIndex]!);
    cellsByCollector.set(collectorIndex, ["", "", keptSol, SKIP_TEXTS[reason]]);
  }
  const rows = accounts.collectors.map((key, index) => [
    String(index),
    shortenAddress(key.toBase58()),
    formatExactSol(collectorLamports[index]!),
    ...cellsByCollector.get(index)!,
  ]);
  const heldLamports = sumLamports(collectorLamports);
  const keptLamports = heldLamports - plan.totalLamports - plan.feeLamports;
  rows.push(["", "all", ...[heldLamports, plan.totalLamports, plan.feeLamports, keptLamports].map(formatExactSol)]);
  return renderTable(["#", "collector", "holds SOL", "sends SOL", "fee SOL", "keeps SOL", ""], rows);
}

/** Describes a transaction's outcome in words. */
export function describeOutcome(outcome: TransferOutcome): string {
  switch (outcome.state) {
    case "landed":
      return `confirmed, signature ${outcome.signature}`;
    case "failed":
      return `failed on the chain, only the fee was paid: ${outcome.error}, signature ${outcome.signature}`;
    case "refused":
      return `not sent: ${outcome.error}`;
    case "expired":
      return `did not land in time and never will, nothing moved, signature ${outcome.signature}`;
    case "unknown":
      return `the node stopped answering, the outcome is not known, signature ${outcome.signature}`;
  }
}

const sumLamports = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
