import type { PublicKey } from "@solana/web3.js";
import { shortenAddress } from "../solana/short-address";
import type { Ledger } from "./chain";
import type { FundPlan, SkipReason, SweepPlan } from "./plans";
import type { Outcome } from "./send";
import { type Column, formatSol, renderTable } from "./table";

/* Formats the commands' tables and sentences. Pure functions; amounts are exact SOL. */

/** The public keys of the operator's accounts. */
interface Accounts {
  collectors: readonly PublicKey[];
  funder: PublicKey;
  treasury: PublicKey;
}

const SKIP_TEXTS: Record<SkipReason, string> = {
  no_surplus: "skipped: no surplus",
  not_worth_fee: "skipped: surplus is not worth the fee",
  treasury_unopened: "skipped: too little to open the treasury account",
};

/** Formats every balance, with each collector's surplus over the rent-exempt minimum. */
export function formatStatus(accounts: Accounts, ledger: Ledger): string {
  const surpluses = ledger.collectors.map((balance) =>
    balance > ledger.rentMinimum ? balance - ledger.rentMinimum : 0n,
  );
  const rows = accounts.collectors.map((key, index) => [
    String(index),
    key.toBase58(),
    formatSol(ledger.collectors[index]!),
    formatSol(surpluses[index]!),
  ]);
  rows.push(["", "all collectors", formatSol(sumLamports(ledger.collectors)), formatSol(sumLamports(surpluses))]);
  rows.push(["", `treasury ${shortenAddress(accounts.treasury.toBase58())}`, formatSol(ledger.treasury), ""]);
  rows.push(["", `funder ${accounts.funder.toBase58()}`, formatSol(ledger.funder), ""]);
  return renderTable([alignRight("#"), alignLeft("account"), alignRight("SOL"), alignRight("surplus SOL")], rows);
}

/** Returns the same balances as formatStatus, in lamports, for programs. */
export function toStatusJson(node: string, accounts: Accounts, ledger: Ledger) {
  return {
    node,
    rentMinimumLamports: Number(ledger.rentMinimum),
    collectors: accounts.collectors.map((key, index) => ({
      address: key.toBase58(),
      lamports: Number(ledger.collectors[index]!),
      funded: ledger.collectors[index]! >= ledger.rentMinimum,
    })),
    funder: { address: accounts.funder.toBase58(), lamports: Number(ledger.funder) },
    treasury: { lamports: Number(ledger.treasury) },
  };
}

/** Formats the amount that each collector would receive. Omits collectors that need nothing. */
export function formatFundPlan(accounts: Accounts, ledger: Ledger, plan: FundPlan): string {
  const rows = plan.transfers.map(({ collectorIndex, lamports }) => [
    String(collectorIndex),
    accounts.collectors[collectorIndex]!.toBase58(),
    formatSol(ledger.collectors[collectorIndex]!),
    formatSol(lamports),
  ]);
  rows.push(["", "all, and the network fee", "", formatSol(plan.totalLamports + plan.feeLamports)]);
  return renderTable(
    [alignRight("#"), alignLeft("collector"), alignRight("holds SOL"), alignRight("receives SOL")],
    rows,
  );
}

/**
 * Formats the amount that each collector would send, or the reason why it sends nothing.
 * @param feeLamports network fee of one transfer
 */
export function formatSweepPlan(accounts: Accounts, ledger: Ledger, plan: SweepPlan, feeLamports: bigint): string {
  const cells = new Map<number, string[]>();
  for (const { collectorIndex, lamports } of plan.transfers) {
    cells.set(collectorIndex, [formatSol(lamports), formatSol(feeLamports), formatSol(ledger.rentMinimum), ""]);
  }
  for (const { collectorIndex, reason } of plan.skipped) {
    cells.set(collectorIndex, ["", "", formatSol(ledger.collectors[collectorIndex]!), SKIP_TEXTS[reason]]);
  }
  const rows = accounts.collectors.map((key, index) => [
    String(index),
    shortenAddress(key.toBase58()),
    formatSol(ledger.collectors[index]!),
    ...cells.get(index)!,
  ]);
  const heldLamports = sumLamports(ledger.collectors);
  const keptLamports = heldLamports - plan.totalLamports - plan.feeLamports;
  rows.push([
    "",
    "all",
    formatSol(heldLamports),
    formatSol(plan.totalLamports),
    formatSol(plan.feeLamports),
    formatSol(keptLamports),
  ]);
  const amounts = ["holds SOL", "sends SOL", "fee SOL", "keeps SOL"].map(alignRight);
  return renderTable([alignRight("#"), alignLeft("collector"), ...amounts, alignLeft("")], rows);
}

/** Describes a transaction's outcome in words. */
export function describeOutcome(outcome: Outcome): string {
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

const alignLeft = (title: string): Column => ({ title, align: "left" });
const alignRight = (title: string): Column => ({ title, align: "right" });
const sumLamports = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
