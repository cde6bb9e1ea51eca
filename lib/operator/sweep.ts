import type { Keypair } from "@solana/web3.js";
import { ASSETS } from "../domain/assets";
import { deriveUsdcAccount } from "../domain/dollar-accounts";
import { readPriority } from "../sdk/recover/chain-reads";
import type { InstructionLike } from "../solana/instructions";
import { buildSystemTransfer } from "../solana/system-instructions";
import { buildCreateAssociatedTokenAccount, buildTransferChecked } from "../solana/token-instructions";
import {
  type Balances,
  getNodeName,
  isPlainAccount,
  type OperatorAccounts,
  readBalances,
  readNetworkFee,
} from "./chain";
import { deriveAccounts } from "./collectors";
import { OperatorFailure } from "./failure";
import { DRY_RUN_TEXT, describeOutcome, describeShortfall, formatSweepPlan, formatUsdcSweepPlan } from "./report";
import { type OperatorSession, signAndSend } from "./send";
import { formatExactSol, formatExactUsdc } from "./table";
import { computeShortfall, computeSweepPlan, computeUsdcSweepPlan, type UsdcSweepPlan } from "./transfer-plans";

/** A transaction that moves one collector's money to the treasury. */
interface SweepTransaction {
  collectorIndex: number;
  signers: readonly [payer: Keypair, ...others: Keypair[]];
  instructions: InstructionLike[];
  lamports: bigint;
  usdcUnits: bigint;
}

/**
 * Sends each collector's surplus over the rent-exempt minimum, minus the fee, and its USDC to the treasury. Each
 * collector sends its own transactions, one after another. The funder pays for the USDC: a collector that takes fees in
 * USDC only has no SOL to spend. Idempotent: a second run sends only what is new and what did not land.
 * @param options.shouldSend false prints the transfers without sending them
 * @throws {OperatorFailure} when the treasury cannot take the money, the funder cannot pay, or a transaction is not
 * confirmed
 */
export async function sweepCollectors(
  session: OperatorSession,
  { shouldSend }: { shouldSend: boolean },
): Promise<void> {
  const { chain, operatorFile, priorityFee, print } = session;
  const { accounts, collectorKeypairs, funderKeypair } = deriveAccounts(operatorFile);
  const writtenAccounts = [accounts.treasury, ...accounts.collectors];
  const priority = priorityFee && (await readPriority(chain, writtenAccounts, priorityFee));
  const [balances, feeLamports] = await Promise.all([
    readBalances(chain, accounts),
    readNetworkFee(chain, accounts.collectors[0]!, buildSolTransfer(accounts, 0, 1n), priority),
  ]);
  if (!isPlainAccount(balances.treasuryOwner)) {
    const ownerText = `The treasury account belongs to the program ${balances.treasuryOwner}`;
    throw new OperatorFailure(`${ownerText}; money sent there may be lost, so nothing is swept.`);
  }
  const plan = computeSweepPlan({ ...balances, feeLamports });
  const usdcPlan = computeUsdcSweepPlan(balances);
  const usdcFeeLamports =
    usdcPlan.transfers.length === 0
      ? 0n
      : await readNetworkFee(chain, accounts.funder, buildUsdcTransfer(accounts, usdcPlan, 0, 1n), priority);
  print(`Sweep to the treasury ${accounts.treasury.toBase58()} at ${getNodeName(chain)}`);
  print(formatSweepPlan(accounts, balances, plan, feeLamports));
  const usdcText = formatUsdcSweepPlan(accounts, balances, usdcPlan, usdcFeeLamports);
  if (usdcText) print(usdcText);

  const usdcFault = findUsdcFault(accounts, balances, usdcPlan, usdcFeeLamports);
  const transactions: SweepTransaction[] = [
    ...plan.transfers.map(({ collectorIndex, lamports }): SweepTransaction => {
      const instructions = buildSolTransfer(accounts, collectorIndex, lamports);
      return { collectorIndex, signers: [collectorKeypairs[collectorIndex]!], instructions, lamports, usdcUnits: 0n };
    }),
    ...(usdcFault ? [] : usdcPlan.transfers).map(({ collectorIndex, units }): SweepTransaction => {
      const instructions = buildUsdcTransfer(accounts, usdcPlan, collectorIndex, units);
      const signers = [funderKeypair, collectorKeypairs[collectorIndex]!] as const;
      return { collectorIndex, signers, instructions, lamports: 0n, usdcUnits: units };
    }),
  ];
  const failures = usdcFault ? [usdcFault] : [];
  if (transactions.length === 0) print(usdcFault ? "Nothing can be sent." : "Nothing to send.");
  else if (!shouldSend) print(DRY_RUN_TEXT);
  else {
    const unconfirmedCount = await sendAll(session, transactions, priority);
    if (unconfirmedCount > 0)
      failures.unshift(`${unconfirmedCount} of ${transactions.length} transfers are not confirmed; run it again.`);
  }
  if (failures.length > 0) throw new OperatorFailure(failures.join(" "));
}

/** Sends the transactions one after another. Returns how many are not confirmed. */
async function sendAll(
  session: OperatorSession,
  transactions: readonly SweepTransaction[],
  priority: Parameters<typeof signAndSend>[3],
): Promise<number> {
  const landed: SweepTransaction[] = [];
  for (const transaction of transactions) {
    const { collectorIndex, signers, instructions, usdcUnits } = transaction;
    const outcome = await signAndSend(session, signers, instructions, priority);
    session.print(`collector ${collectorIndex}${usdcUnits > 0n ? ", USDC" : ""}: ${describeOutcome(outcome)}`);
    if (outcome.state === "landed") landed.push(transaction);
  }
  const sweptLamports = landed.reduce((sum, { lamports }) => sum + lamports, 0n);
  const sweptUnits = landed.reduce((sum, { usdcUnits }) => sum + usdcUnits, 0n);
  session.print(`Swept ${formatExactSol(sweptLamports)} SOL.`);
  if (transactions.some(({ usdcUnits }) => usdcUnits > 0n)) session.print(`Swept ${formatExactUsdc(sweptUnits)} USDC.`);
  return transactions.length - landed.length;
}

/** Returns why no USDC can be swept. Returns null when it can, or when there is none. SOL is swept in either case. */
function findUsdcFault(
  accounts: OperatorAccounts,
  balances: Balances,
  { transfers, opensTreasury }: UsdcSweepPlan,
  feeLamports: bigint,
): string | null {
  if (transfers.length === 0) return null;
  const { address, state, depositLamports } = balances.treasuryUsdc;
  if (state === "blocked") return `The treasury's USDC account ${address} cannot take USDC, so no USDC is swept.`;
  const costLamports = feeLamports * BigInt(transfers.length) + (opensTreasury ? depositLamports : 0n);
  const shortfallLamports = computeShortfall(balances, costLamports);
  if (shortfallLamports === 0n) return null;
  return `${describeShortfall(accounts, balances, shortfallLamports)} to sweep the USDC.`;
}

function buildSolTransfer({ collectors, treasury }: OperatorAccounts, collectorIndex: number, lamports: bigint) {
  return [buildSystemTransfer(collectors[collectorIndex]!.toBase58(), treasury.toBase58(), lamports)];
}

/** While the treasury has no USDC account, every transaction can open it, in case that an earlier one does not land. */
function buildUsdcTransfer(
  accounts: OperatorAccounts,
  { opensTreasury }: UsdcSweepPlan,
  collectorIndex: number,
  amount: bigint,
): InstructionLike[] {
  const { mint, decimals } = ASSETS.USDC;
  const payer = accounts.funder.toBase58();
  const owner = accounts.treasury.toBase58();
  const authority = accounts.collectors[collectorIndex]!.toBase58();
  const [source, destination] = [deriveUsdcAccount(authority), deriveUsdcAccount(owner)];
  return [
    ...(opensTreasury ? [buildCreateAssociatedTokenAccount({ payer, owner, mint })] : []),
    buildTransferChecked({ source, destination, authority, mint, amount, decimals }),
  ];
}
