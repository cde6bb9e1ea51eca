import { clampToZero } from "../domain/money";
import { shortenAddress } from "../solana/short-address";
import type { Balances, OperatorAccounts, UsdcAccount } from "./chain";
import type { TransferOutcome } from "./send";
import { formatExactSol, formatExactUsdc, renderTable } from "./table";
import {
  type FundPlan,
  MIN_SWEPT_USDC_UNITS,
  type SkipReason,
  type SweepPlan,
  type UsdcSweepPlan,
} from "./transfer-plans";

/* Formats the commands' tables and sentences. Pure functions; amounts are exact SOL and USDC. */

export const DRY_RUN_TEXT = "Dry run, nothing was sent. Add --execute to send it.";

const SKIP_TEXTS: Record<SkipReason, string> = {
  no_surplus: "skipped: no surplus",
  not_worth_fee: "skipped: surplus is not worth the fee",
  treasury_unopened: "skipped: too little to open the treasury account",
};

const formatUsdc = ({ state, units }: UsdcAccount) => (state === "open" ? formatExactUsdc(units) : state);
const sumUnits = (usdcAccounts: readonly UsdcAccount[]) => sum(usdcAccounts.map(({ units }) => units));

/** Formats every balance, with each collector's surplus over the rent-exempt minimum. */
export function formatStatus(accounts: OperatorAccounts, balances: Balances): string {
  const { rentMinimumLamports, collectorLamports, collectorUsdc } = balances;
  const surpluses = collectorLamports.map((lamports) => clampToZero(lamports - rentMinimumLamports));
  const collectorRows = accounts.collectors.map((key, index) => [
    String(index),
    key.toBase58(),
    ...[collectorLamports[index]!, surpluses[index]!].map(formatExactSol),
    formatUsdc(collectorUsdc[index]!),
  ]);
  const treasuryName = `treasury ${shortenAddress(accounts.treasury.toBase58())}`;
  const totals = [collectorLamports, surpluses].map(sum).map(formatExactSol);
  return renderTable(
    ["#", "account", "SOL", "surplus SOL", "USDC"],
    [
      ...collectorRows,
      ["", "all collectors", ...totals, formatExactUsdc(sumUnits(collectorUsdc))],
      ["", treasuryName, formatExactSol(balances.treasuryLamports), "", formatUsdc(balances.treasuryUsdc)],
      ["", `funder ${accounts.funder.toBase58()}`, formatExactSol(balances.funderLamports)],
    ],
  );
}

/** Returns the same balances as formatStatus, in lamports and micro-USDC, for programs. */
export function toStatusJson(node: string, accounts: OperatorAccounts, balances: Balances) {
  const { rentMinimumLamports, collectorLamports, collectorUsdc, funderLamports, treasuryLamports } = balances;
  const toUsdcJson = ({ state, units }: UsdcAccount) => ({ state, units: String(units) });
  return {
    node,
    rentMinimumLamports: Number(rentMinimumLamports),
    collectors: accounts.collectors.map((key, index) => ({
      address: key.toBase58(),
      lamports: Number(collectorLamports[index]!),
      funded: collectorLamports[index]! >= rentMinimumLamports,
      usdc: { account: collectorUsdc[index]!.address, ...toUsdcJson(collectorUsdc[index]!) },
    })),
    funder: { address: accounts.funder.toBase58(), lamports: Number(funderLamports) },
    treasury: { lamports: Number(treasuryLamports), usdc: toUsdcJson(balances.treasuryUsdc) },
  };
}

/**
 * Formats what each collector would receive, and the deposit of each USDC account that would be opened. Omits collectors
 * that need nothing.
 */
export function formatFundPlan(
  accounts: OperatorAccounts,
  balances: Balances,
  { transfers, openings, totalLamports }: FundPlan,
  feeLamports: bigint,
): string {
  const received = new Map(transfers.map(({ collectorIndex, lamports }) => [collectorIndex, lamports]));
  const deposits = new Map(openings.map(({ collectorIndex, depositLamports }) => [collectorIndex, depositLamports]));
  const rows = accounts.collectors.flatMap((key, index) => {
    const cells = [received.get(index), deposits.get(index)];
    if (cells.every((cell) => cell === undefined)) return [];
    const held = formatExactSol(balances.collectorLamports[index]!);
    return [
      [String(index), key.toBase58(), held, ...cells.map((cell) => (cell === undefined ? "" : formatExactSol(cell)))],
    ];
  });
  rows.push(["", "all", "", ...[received, deposits].map((amounts) => formatExactSol(sum([...amounts.values()])))]);
  rows.push(["", "network fee", "", formatExactSol(feeLamports)]);
  rows.push(["", "the funder pays", "", formatExactSol(totalLamports + feeLamports)]);
  return renderTable(["#", "collector", "holds SOL", "receives SOL", "USDC account SOL"], rows);
}

/** Names the collectors whose USDC accounts exist and cannot take fees. Returns null when there is none. */
export function formatBlockedUsdc({ collectorUsdc }: Balances): string | null {
  const lines = collectorUsdc.flatMap(({ state, address }, index) =>
    state === "blocked" ? [`collector ${index}: its USDC account ${address} is blocked, and fund cannot open it.`] : [],
  );
  return lines.length > 0 ? lines.join("\n") : null;
}

/** Says how much SOL the funder lacks, without a full stop. */
export function describeShortfall(
  { funder }: OperatorAccounts,
  { funderLamports }: Balances,
  shortfall: bigint,
): string {
  const heldText = `The funder ${funder.toBase58()} holds ${formatExactSol(funderLamports)} SOL`;
  return `${heldText}; send it at least ${formatExactSol(shortfall)} SOL more`;
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
  const heldLamports = sum(collectorLamports);
  const keptLamports = heldLamports - plan.totalLamports - plan.feeLamports;
  rows.push(["", "all", ...[heldLamports, plan.totalLamports, plan.feeLamports, keptLamports].map(formatExactSol)]);
  return renderTable(["#", "collector", "holds SOL", "sends SOL", "fee SOL", "keeps SOL", ""], rows);
}

/**
 * Formats the USDC that each collector would send, or the reason why it sends none, and the SOL that the funder would
 * pay. Returns null when no collector has USDC or a blocked account.
 * @param feeLamports network fee of one transfer
 */
export function formatUsdcSweepPlan(
  accounts: OperatorAccounts,
  { collectorUsdc, treasuryUsdc }: Balances,
  { transfers, totalUnits, opensTreasury }: UsdcSweepPlan,
  feeLamports: bigint,
): string | null {
  if (collectorUsdc.every(({ state, units }) => state !== "blocked" && units === 0n)) return null;
  const sent = new Map(transfers.map(({ collectorIndex, units }) => [collectorIndex, units]));
  const rows = accounts.collectors.map((key, index) => {
    const account = collectorUsdc[index]!;
    const units = sent.get(index);
    const cells =
      units === undefined ? ["", "", describeUsdcSkip(account)] : [formatExactUsdc(units), formatExactSol(feeLamports)];
    return [String(index), shortenAddress(key.toBase58()), formatUsdc(account), ...cells];
  });
  const depositLamports = opensTreasury ? treasuryUsdc.depositLamports : 0n;
  if (opensTreasury) rows.push(["", "the treasury's account", "", "", formatExactSol(depositLamports)]);
  const paidLamports = feeLamports * BigInt(transfers.length) + depositLamports;
  const totals = [sumUnits(collectorUsdc), totalUnits].map(formatExactUsdc);
  rows.push(["", "all", ...totals, formatExactSol(paidLamports)]);
  return renderTable(["#", "collector", "holds USDC", "sends USDC", "funder pays SOL", ""], rows);
}

function describeUsdcSkip({ state, units }: UsdcAccount): string {
  const reason = units === 0n ? "no USDC" : `less than ${formatExactUsdc(MIN_SWEPT_USDC_UNITS)} USDC`;
  return ["skipped", state === "open" ? reason : `its account is ${state}`].join(": ");
}

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

const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
